async function call(method: string, path: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${process.env.DOCMILL_KEY}` };
  const response = await fetch(process.env.DOCMILL_URL + path, { method, headers });
  // 409 job_ended: too late to cancel a job, but not to delete its documents.
  if (!response.ok && response.status !== 409) throw new Error(await response.text());
  return response;
}

const query = new URLSearchParams({ "metadata.order": "2026-118", limit: "100" });
for (let more = true; more; ) {
  const page: any = await (await call("GET", `/v1/jobs?${query}`)).json();
  for (const { id } of page.jobs) {
    await call("POST", `/v1/jobs/${id}/cancel`);
    await call("DELETE", `/v1/jobs/${id}`);
  }
  more = "nextCursor" in page;
  query.set("cursor", page.nextCursor);
}
