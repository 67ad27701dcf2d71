import { WorkerEntrypoint } from 'cloudflare:workers'
import { runJob } from '../lib/http/logging.ts'
import {
  answerCron,
  type CronEnv,
  type CronTimeEnv,
  callCron,
  cronMs,
  isCron,
} from '../lib/http/rpc/cron.ts'
import {
  answerNudge,
  type NudgeEnv,
  nudgeAll,
  ROUND_MS,
  type SelfEnv,
} from '../lib/http/rpc/nudge.service.ts'
import type { NudgesService } from '../lib/http/rpc/nudges.rpc.ts'
import type { EndpointsService } from '../lib/http/rpc/webhooks.rpc.ts'
import { decryptSecret, encryptSecret } from '../lib/platform/secrets.ts'
import { urlRefusal } from '../lib/platform/url.ts'
import {
  allowsLocal,
  sendDue,
  type WebhooksEnv,
} from '../lib/webhooks/deliveries/send-due.service.ts'

/** As long as the signature: the specification requires 24 to 64 random bytes. */
const SECRET_BYTES = 32

type Env = WebhooksEnv & NudgeEnv<'OUTBOX'>['Bindings'] & CronEnv & CronTimeEnv & SelfEnv

/**
 * Responses sealed for repeats have a context apart from signing secrets, which no other Worker may
 * decrypt.
 */
const repeatsOf = (workspaceId: string) => `${workspaceId} idempotency`

/** Sends what is due, and logs one line of JSON. @returns whether more is due */
const send = async (env: Env, run: { ms: number; waits?: boolean }): Promise<boolean> => {
  const sent = await runJob('webhooks', async () => {
    const tally = await sendDue(env, run)
    // Managers are mailed about a disabled endpoint.
    if (tally?.failed || tally?.retry) await nudgeAll(env, 'OUTBOX')
    return tally
  })
  return sent?.isMore === true
}

/** The RPC of Workers whose transactions cause webhooks. */
export class Nudges extends WorkerEntrypoint<Env> implements NudgesService {
  async nudge(round = 1) {
    answerNudge(this.ctx, this.env, round, () => send(this.env, { ms: ROUND_MS, waits: true }))
  }
}

/** Sends webhooks to the merchants' backends. docs/webhooks.md. */
export default class Webhooks extends Nudges {
  /** Only its own cron calls it by HTTP. */
  override async fetch(request: Request) {
    return isCron(request)
      ? answerCron(async () => void (await send(this.env, { ms: cronMs(this.env) })))
      : new Response(null, { status: 404 })
  }

  override scheduled() {
    return callCron(this.env)
  }
}

/** The RPC of the managers' Workers. */
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
