import { WorkerEntrypoint } from 'cloudflare:workers'
import type { Act } from '../lib/audit/audit.queries.ts'
import { member } from '../lib/auth/access.ts'
import { requireFreshSignIn } from '../lib/auth/fresh-sign-in.ts'
import { idempotent } from '../lib/auth/idempotency/idempotent.ts'
import { requirePasskeyToPay } from '../lib/auth/passkey-for-payouts.ts'
import { createApp } from '../lib/http/app.ts'
import { ApiError } from '../lib/http/errors.ts'
import { found } from '../lib/http/found-or-404.ts'
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
  nudgeAfterChanges,
  nudgeAll,
  ROUND_MS,
  type SelfEnv,
} from '../lib/http/rpc/nudge.service.ts'
import type { NudgesService } from '../lib/http/rpc/nudges.rpc.ts'
import { body } from '../lib/http/validate.ts'
import { invoicePdf } from '../lib/papers/invoice-pdf.service.ts'
import {
  confirmAccount,
  disconnect,
  openDashboard,
  refreshAccount,
  startOnboarding,
} from '../lib/payouts/accounts/onboarding.service.ts'
import type { BankFileRequest, TemplateRequest } from '../lib/payouts/files/files.rpc.ts'
import { fillTemplate, makeBankFile } from '../lib/payouts/files/files.service.ts'
import type { CreditNote, Invoice } from '../lib/payouts/invoices/invoices.ts'
import type { RunResultResponse } from '../lib/payouts/payouts.responses.ts'
import type {
  AccountsService,
  ManagerPayoutsService,
  OnboardingRequest,
  PartnerPayoutsService,
  PreviewRequest,
  PreviewsService,
  PurchaseLinesService,
  RunRequest,
} from '../lib/payouts/payouts.rpc.ts'
import { limitsIn, PayoutRun } from '../lib/payouts/payouts.schemas.ts'
import { previewPayouts, runPayouts } from '../lib/payouts/runs/run.service.ts'
import { listLines } from '../lib/payouts/stripe/lines.service.ts'
import { listProducts } from '../lib/payouts/stripe/products.service.ts'
import { saveKey } from '../lib/payouts/transfers/keys.service.ts'
import type { PayoutEnv } from '../lib/payouts/transfers/send.service.ts'
import { listSentEvents } from '../lib/payouts/transfers/sent-events.service.ts'
import { encryptSecret } from '../lib/platform/secrets.ts'
import { findProgram } from '../lib/programs/programs.queries.ts'
import type { LinesOf } from '../lib/stripe/lines.service.ts'
import { payDue } from '../lib/upkeep/pay-due.service.ts'

const PREVIEW_CHANGED =
  'The run would pay more than expected, so nothing is paid. Check the preview, and retry with its totals.'

const PAYS_ELSEWHERE =
  'This program runs in shadow mode: another platform pays its partners. Cut over to pay them from here.'

type Env = PayoutEnv &
  NudgeEnv<'OUTBOX' | 'PAYOUT_QUEUE' | 'WEBHOOKS'>['Bindings'] &
  CronEnv &
  CronTimeEnv &
  SelfEnv

/** POST /api/workspaces/:workspace/payouts/run: runs payouts. Spec, section 3; design, 7 and 12. */
const app = createApp<Env>()
  // The Worker's own queue continues what one request could not finish.
  .use(nudgeAfterChanges('OUTBOX', 'PAYOUT_QUEUE', 'WEBHOOKS'))
  .post(
    '/api/workspaces/:workspace/payouts/run',
    member(),
    body(PayoutRun),
    idempotent(),
    async (c) => {
      const { dryRun, programId, method, expected, ...limits } = c.req.valid('json')
      const { db, now, signedInAt, user, workspace } = c.var
      if (!dryRun) {
        requireFreshSignIn(signedInAt, now)
        requirePasskeyToPay(c)
      }
      const program = programId
        ? await found('program', programId, (id) => findProgram(db, workspace.id, id))
        : null

      if (program?.mode === 'shadow' && !dryRun) throw new ApiError('conflict', PAYS_ELSEWHERE)
      const request: RunRequest = {
        workspaceId: workspace.id,
        programId: program?.id ?? null,
        method: method ?? 'stripe',
        dryRun: dryRun ?? false,
        actor: user.email,
        firstId: c.var.firstId,
        limits: limitsIn(limits, now),
        expected: expected ?? null,
      }
      const result = await runPayouts(c.env, request, now)
      if ('refused' in result) throw new ApiError('conflict', result.refused)
      if ('changed' in result)
        throw new ApiError('preview_changed', PREVIEW_CHANGED, {
          more: { preview: result.changed },
        })
      return c.json<RunResultResponse>(result)
    },
  )

/** Pays what is due, and logs one line of JSON. @returns whether more may be due */
const pay = async (env: Env, ms: number): Promise<boolean> => {
  const paid = await runJob('payouts', async () => {
    const done = await payDue(env, new Date(), ms)
    if (done) await nudgeAll(env, 'OUTBOX', 'WEBHOOKS')
    return done
  })
  return paid?.isMore === true
}

/** The RPC of the managers' Workers whose transactions leave payouts to send, cancel or report. */
export class Nudges extends WorkerEntrypoint<Env> implements NudgesService {
  async nudge(round = 1) {
    answerNudge(this.ctx, this.env, round, () => pay(this.env, ROUND_MS))
  }
}

/**
 * Pays partners, by cron and on request. The only Worker that calls the merchants' Stripe accounts.
 */
export default class Payouts extends Nudges {
  override fetch(request: Request) {
    return isCron(request)
      ? answerCron(async () => void (await pay(this.env, cronMs(this.env))))
      : app.fetch(request, this.env, this.ctx)
  }

  override scheduled() {
    return callCron(this.env)
  }
}

/** The RPC for managers and partners. */
class CommonPayouts extends WorkerEntrypoint<PayoutEnv> {
  seal(workspaceId: string, text: string) {
    return encryptSecret(this.env.SECRETS_KEY, workspaceId, text)
  }

  invoicePdf(invoice: Invoice, note?: CreditNote) {
    return invoicePdf(invoice, note)
  }
}

/** The RPC of the managers' Workers. */
export class ManagerPayouts extends CommonPayouts implements ManagerPayoutsService {
  run(request: RunRequest) {
    return runPayouts(this.env, request)
  }

  saveKey(act: Act, key: string) {
    return saveKey(this.env, act, key)
  }

  listSentEvents(workspaceId: string, url: string) {
    return listSentEvents(this.env, workspaceId, url)
  }

  listProducts(workspaceId: string) {
    return listProducts(this.env, workspaceId)
  }

  bankFile(request: BankFileRequest) {
    return makeBankFile(this.env, request)
  }

  templateFile(request: TemplateRequest) {
    return fillTemplate(this.env, request)
  }
}

/** The RPC of the portal: nothing that pays, and no key. */
export class PartnerPayouts extends CommonPayouts implements PartnerPayoutsService {
  startOnboarding(request: OnboardingRequest) {
    return startOnboarding(this.env, request)
  }

  refreshAccount(workspaceId: string, stripeAccountId: string) {
    return refreshAccount(this.env, workspaceId, stripeAccountId)
  }

  openDashboard(holder: { workspaceId: string; email: string }) {
    return openDashboard(this.env, holder)
  }

  confirmAccount(holder: { workspaceId: string; email: string }, token: string) {
    return confirmAccount(this.env, holder, token)
  }

  disconnect(workspaceId: string, email: string) {
    return disconnect(this.env, workspaceId, email)
  }
}

/** The RPC of the mcp Worker, which only reads. */
export class Previews extends WorkerEntrypoint<PayoutEnv> implements PreviewsService {
  preview(request: PreviewRequest) {
    return previewPayouts(this.env, request)
  }
}

/** The RPC of the stripe-webhook Worker. */
export class Accounts
  extends WorkerEntrypoint<PayoutEnv>
  implements AccountsService, PurchaseLinesService
{
  refreshAccount(workspaceId: string, stripeAccountId: string) {
    return refreshAccount(this.env, workspaceId, stripeAccountId)
  }

  listLines(workspaceId: string, of: LinesOf) {
    return listLines(this.env, workspaceId, of)
  }
}
