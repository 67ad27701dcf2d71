import { WorkerEntrypoint } from 'cloudflare:workers'
import { answerCron, type CronEnv, callCron, isCron } from '../lib/http/cron.ts'
import { runJob } from '../lib/http/logging.ts'
import { decryptSecret, encryptSecret } from '../lib/secrets.ts'
import { allowsLocal, sendDue, type WebhooksEnv } from '../lib/webhooks/send-due.service.ts'
import { urlRefusal } from '../lib/webhooks/url.ts'
import type { EndpointsService, NudgesService } from '../lib/webhooks/webhooks.rpc.ts'

/** As many random bytes as the signature has: the specification asks for 24 to 64. */
const SECRET_BYTES = 32

/** The next run starts a minute after this one. */
const CRON_MS = 40_000
/** What is waited for after a response may take 30 seconds. */
const NUDGE_MS = 18_000

/** What is sealed for repeats is encrypted apart from signing secrets, which no other Worker may decrypt. */
const repeatsOf = (workspaceId: string) => `${workspaceId} idempotency`

/** Sends webhooks to the merchants' backends. docs/webhooks.md. */
export default class Webhooks extends WorkerEntrypoint<WebhooksEnv & CronEnv> {
  /** Only its own cron calls it by HTTP. It sends what is due, and logs one line of JSON. */
  override async fetch(request: Request) {
    return isCron(request)
      ? answerCron(() => runJob('webhooks', () => sendDue(this.env, { ms: CRON_MS })))
      : new Response(null, { status: 404 })
  }

  override scheduled() {
    return callCron(this.env)
  }
}

/** What the Workers may ask for whose commits webhooks report. */
export class Nudges extends WorkerEntrypoint<WebhooksEnv> implements NudgesService {
  async nudge() {
    // Best effort, in its own time: the cron sends what this leaves.
    this.ctx.waitUntil(
      runJob('webhooks', () => sendDue(this.env, { ms: NUDGE_MS, waits: true })).catch(() => {}),
    )
  }
}

/** What the managers' Workers may ask for. */
export class Endpoints extends Nudges implements EndpointsService {
  async urlRefusal(url: string) {
    return urlRefusal(url, allowsLocal(this.env))
  }

  async newSecret(workspaceId: string) {
    const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
    const secret = `whsec_${btoa(String.fromCharCode(...bytes))}`
    return { secret, ciphertext: await encryptSecret(this.env.SECRETS_KEY, workspaceId, secret) }
  }

  seal(workspaceId: string, text: string) {
    return encryptSecret(this.env.SECRETS_KEY, repeatsOf(workspaceId), text)
  }

  unseal(workspaceId: string, sealed: string) {
    return decryptSecret(this.env.SECRETS_KEY, repeatsOf(workspaceId), sealed)
  }
}
