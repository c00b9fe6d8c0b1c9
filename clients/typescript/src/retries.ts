/** Which requests are repeated, and when. */

import { ApiError } from "./errors.ts";

const TEMPORARY = new Set([429, 500, 502, 503, 504]);
// The API did not take the request: even one that must not have its effect twice can be sent again.
const REFUSED = new Set([429, 503]);
const FIRST_PAUSE = 0.5;
const LONGEST_PAUSE = 8;
// A service that wants more patience is not waited for.
const LONGEST_RETRY_AFTER = 60;

/** Seconds before the next try, if there is one. `attempt` counts from 0; all faults but answers are broken connections or time-outs. */
export function pauseBefore(attempt: number, most: number, fault: Error, repeatable: boolean): number | undefined {
  if (attempt >= most) return undefined;
  if (!(fault instanceof ApiError)) return repeatable ? backoff(attempt) : undefined;
  if (!(repeatable ? TEMPORARY : REFUSED).has(fault.status)) return undefined;
  if (fault.retryAfter === undefined) return backoff(attempt);
  return fault.retryAfter <= LONGEST_RETRY_AFTER ? fault.retryAfter : undefined;
}

function backoff(attempt: number): number {
  return Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE) * (0.75 + Math.random() / 2);
}
