import { WorkerEntrypoint } from 'cloudflare:workers'
import type { DatabaseEnv } from '../lib/data/connection.ts'
import { createApp } from '../lib/http/app.ts'
import { type StripeService, sealSecret } from '../lib/stripe/secrets.ts'

type StripeBindings = DatabaseEnv & { SECRETS_KEY: string }

/** POST /api/webhooks/stripe/:workspace: what happens at a merchant's Stripe account. Design, section 5. */
const app = createApp()

/** Takes Stripe's events, and keeps the secrets that they are signed with. */
export default class StripeWebhook extends WorkerEntrypoint<StripeBindings> implements StripeService {
  override fetch(request: Request) {
    return app.fetch(request, this.env, this.ctx)
  }

  sealSecret(workspaceId: string, secret: string): Promise<string> {
    return sealSecret(this.env.SECRETS_KEY, workspaceId, secret)
  }

  async settleReport(): Promise<never> {
    throw new Error('Not yet.')
  }
}
