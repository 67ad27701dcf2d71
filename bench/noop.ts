/** A Worker that does nothing: what HTTP, workerd and the client cost by themselves. */
export default {
  fetch: async (request: Request) => Response.json({ bytes: (await request.arrayBuffer()).byteLength }),
}
