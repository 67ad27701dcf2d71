import { WorkerEntrypoint } from 'cloudflare:workers'
import { connect } from '../lib/db/connection.ts'
import { type AppEnv, createApp } from '../lib/http/app.ts'
import { ApiError } from '../lib/http/errors.ts'
import { addressKey, limitRate } from '../lib/http/rate-limit.ts'
import { rpc } from '../lib/http/rpc.ts'
import { limitBody } from '../lib/http/validate.ts'
import type { PayoutsService } from '../lib/payouts/payouts.rpc.ts'
import { readAccountEvent } from '../lib/payouts/stripe/account-event.schemas.ts'
import { joinReport, settlePurchase } from '../lib/purchases/apply.service.ts'
import type { StripeOutcome } from '../lib/purchases/outcomes.ts'
import type { SaleReport, StripeService } from '../lib/purchases/purchases.rpc.ts'
import { decides, readEvent } from '../lib/purchases/stripe/events.schemas.ts'
import type { WebhookResponse } from '../lib/purchases/stripe/settings.responses.ts'
import { checkTimestamp, readSigned } from '../lib/purchases/stripe/verify.service.ts'
import { findEndpoint, saveOutcome, saveStripeEvent } from '../lib/purchases/webhook.queries.ts'
import { decryptSecret, encryptSecret } from '../lib/secrets.ts'

type StripeBindings = AppEnv['Bindings'] & {
  SECRETS_KEY: string
  PAYOUTS: Pick<PayoutsService, 'refreshAccount'>
}

/** The largest of Stripe's events, an invoice of 250 lines and more, several times over. */
const MAX_EVENT_BYTES = 1024 * 1024

const NO_EVENT =
  'This event is not as Stripe describes it. For what happens to your own account, choose the payload style “Snapshot”.'

const IGNORED: StripeOutcome = { code: 'ignored', facts: {} }

/** What happens at the merchants' Stripe accounts, event by event. Design, section 5. */
const app = createApp<StripeBindings>().post(
  '/api/webhooks/stripe/:workspace',
  limitBody(MAX_EVENT_BYTES),
  async (c) => {
    const { db, now } = c.var
    const header = checkTimestamp(c.req.header('Stripe-Signature'), now)
    await limitRate(c.env.RATE_LIMIT, addressKey(c.req.header('CF-Connecting-IP') ?? 'unknown'))

    const endpoint = await findEndpoint(db, c.req.param('workspace'))
    const { workspaceId = '', secrets: ciphertexts = [], isNew = false } = endpoint ?? {}
    const decrypted = await Promise.all(
      ciphertexts.map((ciphertext) => decryptSecret(c.env.SECRETS_KEY, workspaceId, ciphertext)),
    )
    const secrets = decrypted.filter((secret) => secret !== null)
    const signed = await readSigned(new Uint8Array(await c.req.arrayBuffer()), header, secrets, now)
    const accountId = readAccountEvent(signed)
    if (accountId !== null) {
      // The account may have changed again since, so its state is read from Stripe, not from the event.
      await rpc('payouts', c.env.PAYOUTS.refreshAccount(workspaceId, accountId))
      return c.json<WebhookResponse>({ received: true })
    }
    const event = readEvent(signed)
    if (!event) throw new ApiError('invalid_body', NO_EVENT)

    // The first event of all is kept whatever it is: it shows the manager that the webhook works.
    const matters = event.keys.length > 0
    if (matters || isNew) {
      const { id, isDone } = await saveStripeEvent(db, workspaceId, event, now)
      if (!isDone) {
        const { saleId, outcome } = matters
          ? await settlePurchase(db, workspaceId, event.keys, { decides: decides(event), now })
          : { saleId: null, outcome: IGNORED }
        await saveOutcome(db, { id, saleId, outcome })
      }
    }
    return c.json<WebhookResponse>({ received: true })
  },
)

/** Takes Stripe's events, and keeps the secrets that they are signed with. */
export default class StripeWebhook extends WorkerEntrypoint<StripeBindings> implements StripeService {
  override fetch(request: Request) {
    return app.fetch(request, this.env, this.ctx)
  }

  encryptSecret(workspaceId: string, secret: string): Promise<string> {
    return encryptSecret(this.env.SECRETS_KEY, workspaceId, secret)
  }

  joinReport(workspaceId: string, report: SaleReport): Promise<{ id: string; attributed: boolean }> {
    return joinReport(connect(this.env), workspaceId, report, new Date())
  }
}
