import { WorkerEntrypoint } from 'cloudflare:workers'
import { createApp } from '../lib/http/app.ts'
import {
  disconnect,
  type OnboardingEnv,
  refreshAccount,
  sealKey,
  startOnboarding,
} from '../lib/stripe/onboarding.ts'
import type {
  OnboardingRequest,
  PayoutsService,
  RunRequest,
  RunResult,
} from '../lib/stripe/payouts-service.ts'

const app = createApp()

/** Pays partners: when the clock says so, and when a manager asks. It alone calls the merchants' Stripe accounts. */
export default class Payouts extends WorkerEntrypoint<OnboardingEnv> implements PayoutsService {
  override fetch(request: Request) {
    return app.fetch(request, this.env, this.ctx)
  }

  override async scheduled() {}

  sealKey(workspaceId: string, key: string) {
    return sealKey(this.env, workspaceId, key)
  }

  startOnboarding(request: OnboardingRequest) {
    return startOnboarding(this.env, request)
  }

  refreshAccount(workspaceId: string, stripeAccountId: string) {
    return refreshAccount(this.env, workspaceId, stripeAccountId)
  }

  disconnect(workspaceId: string, email: string) {
    return disconnect(this.env, workspaceId, email)
  }

  async run(_request: RunRequest): Promise<RunResult> {
    return { runId: null, payouts: [], skipped: [] }
  }
}
