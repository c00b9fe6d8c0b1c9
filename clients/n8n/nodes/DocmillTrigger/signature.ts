import { createHmac, timingSafeEqual } from 'crypto';

export interface SignedHeaders {
	id: string;
	timestamp: string;
	/** Signatures of several secrets, separated by spaces. */
	signature: string;
}

const TOLERANCE_SECONDS = 300;

/**
 * Whether a body is, byte for byte, what was signed with the secret, and was signed lately (Standard Webhooks 1.0, `v1`).
 *
 * A node must not have dependencies in n8n, so this is not their library. A test compares the two.
 */
export function isSigned(secret: string, headers: SignedHeaders, body: Buffer, now = Date.now()): boolean {
	const sentAt = Number(headers.timestamp);
	if (!Number.isInteger(sentAt) || Math.abs(now / 1000 - sentAt) > TOLERANCE_SECONDS) return false;
	const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
	const hmac = createHmac('sha256', key).update(`${headers.id}.${headers.timestamp}.`).update(body);
	const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
	return headers.signature.split(' ').some((given) => {
		const bytes = Buffer.from(given);
		return bytes.length === expected.length && timingSafeEqual(bytes, expected);
	});
}
