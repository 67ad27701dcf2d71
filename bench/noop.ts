/** A Worker that does nothing: the cost of HTTP, workerd and the client. */
export default {
  fetch: async (request: Request) =>
    Response.json({ bytes: (await request.arrayBuffer()).byteLength }),
}
