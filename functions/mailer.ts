import { WorkerEntrypoint } from 'cloudflare:workers'

/** Sends mail. */
export default class Mailer extends WorkerEntrypoint {
  override async fetch() {
    return new Response(null, { status: 404 })
  }
}
