import { WorkerEntrypoint } from 'cloudflare:workers'
import type { Act } from '../lib/audit/audit.queries.ts'
import { type BudgetEnv, connectWithin } from '../lib/db/budget.service.ts'
import { connect } from '../lib/db/connection.ts'
import { whatIsDue } from '../lib/db/due.queries.ts'
import { type AppEnv, createApp } from '../lib/http/app.ts'
import { ApiError } from '../lib/http/errors.ts'
import { describeError, log, noteForLog, runJob } from '../lib/http/logging.ts'
import { callerKey, limitRate } from '../lib/http/rate-limit.ts'
import {
  answerCron,
  type CronEnv,
  type CronTimeEnv,
  callCron,
  cronMs,
  isCron,
} from '../lib/http/rpc/cron.ts'
import { type NudgeEnv, nudgeAfterChanges, nudgeAll } from '../lib/http/rpc/nudge.service.ts'
import { rpc } from '../lib/http/rpc/rpc.ts'
import { limitBody } from '../lib/http/validate.ts'
import { noteReversal } from '../lib/payouts/corrections/reversals.queries.ts'
import { noteAccountPayout } from '../lib/payouts/details/banks.queries.ts'
import type { AccountsService, PurchaseLinesService } from '../lib/payouts/payouts.rpc.ts'
import { readAccountEvent } from '../lib/payouts/stripe/account-event.schemas.ts'
import { readAccountPayout } from '../lib/payouts/stripe/account-payout-event.schemas.ts'
import { readReversedTransfer } from '../lib/payouts/stripe/transfer-event.schemas.ts'
import { decryptSecret } from '../lib/platform/secrets.ts'
import { lostRace } from '../lib/platform/unavailable.ts'
import { processEvent } from '../lib/purchases/apply/apply.service.ts'
import {
  continueReplans,
  endWaits,
  joinReport,
  replanImported,
} from '../lib/purchases/apply/late.service.ts'
import { decideMerge } from '../lib/purchases/apply/merge.service.ts'
import { hasMarked } from '../lib/purchases/apply/replan.queries.ts'
import { correctSale } from '../lib/purchases/corrections/correct.service.ts'
import { creditEvent } from '../lib/purchases/corrections/credit.service.ts'
import { refundByHand } from '../lib/purchases/corrections/hand-refund.service.ts'
import { type ListLines, readAllLines } from '../lib/purchases/stripe/all-lines.service.ts'
import { originOf, readEvent } from '../lib/purchases/stripe/objects/events.schemas.ts'
import { refuse } from '../lib/purchases/stripe/refusals.ts'
import type { WebhookResponse } from '../lib/purchases/stripe/settings.responses.ts'
import { findEndpoint } from '../lib/purchases/stripe/setup.queries.ts'
import type { NewSecret, StoredSecret } from '../lib/purchases/stripe/signing-secrets.queries.ts'
import { addSecret } from '../lib/purchases/stripe/signing-secrets.service.ts'
import type { SigningSecretsService } from '../lib/purchases/stripe/stripe.rpc.ts'
import { checkTimestamp, readSigned } from '../lib/purchases/stripe/verify.service.ts'
import type { CreditOutcome, HandCreditRequest } from '../lib/rules/attribution/hand-credits.ts'
import { decideHolds } from '../lib/rules/holds/decide-holds.ts'
import type { DecidedHolds, HoldRequest, UndecidedHolds } from '../lib/rules/holds/hold-facts.ts'
import type { MergeDecision } from '../lib/rules/identities/possible-merges.ts'
import { explainOutcome } from '../lib/rules/purchases/outcomes.ts'
import type { CorrectionOutcome, SaleCorrection } from '../lib/rules/refunds/corrections.ts'
import type { HandRefundOutcome } from '../lib/rules/refunds/hand-refunds.ts'
import type { RefundReport } from '../lib/rules/refunds/refund.ts'
import { hasEndedWaits } from '../lib/tracking/events/received.queries.ts'
import type {
  CreditsService,
  IncompleteRefund,
  IncompleteReport,
  ReferralsService,
  ReportsService,
} from '../lib/tracking/reports/purchases.rpc.ts'

/** How long the response to an import of customers may wait for their sales. */
const IMPORT_MS = 10_000

type StripeBindings = AppEnv['Bindings'] &
  NudgeEnv<'OUTBOX' | 'WEBHOOKS'>['Bindings'] &
  BudgetEnv &
  CronEnv &
  CronTimeEnv & {
    SECRETS_KEY: string
    PAYOUTS: AccountsService & PurchaseLinesService
  }

/** Several times Stripe's largest event, an invoice of more than 250 lines. */
const MAX_EVENT_BYTES = 1024 * 1024

const NO_EVENT = 'The body is not an event in the format that Stripe documents.'

/**
 * POST /api/webhooks/stripe/:workspace: receives the events of a merchant's Stripe account. Design,
 * section 5.
 */
const app = createApp<StripeBindings>()
  .use(nudgeAfterChanges('OUTBOX', 'WEBHOOKS'))
  .post('/api/webhooks/stripe/:workspace', limitBody(MAX_EVENT_BYTES), async (c) => {
    const { db, now } = c.var
    const header = checkTimestamp(c.req.header('Stripe-Signature'), now)
    await limitRate(c.env.RATE_LIMIT, callerKey(c))

    const endpoint = await findEndpoint(db, c.req.param('workspace'))
    const {
      workspaceId = '',
      mode = 'live',
      isNew = false,
      backendCreatesCheckouts = false,
      readsLines = false,
    } = endpoint ?? {}
    noteForLog(c, { workspaceId: endpoint?.workspaceId })
    const decrypted = await Promise.all(
      (endpoint?.secrets ?? []).map(async ({ ciphertext, purpose }) => {
        const secret = await decryptSecret(c.env.SECRETS_KEY, workspaceId, ciphertext)
        return secret === null ? [] : { secret, purpose }
      }),
    )
    const bytes = new Uint8Array(await c.req.arrayBuffer())
    const { body, purpose } = await readSigned(bytes, header, decrypted.flat(), now)
    const accountId = readAccountEvent(body)
    if (accountId !== null) {
      // The account may have changed since the event, so its state is read from Stripe.
      await rpc('payouts', c.env.PAYOUTS.refreshAccount(workspaceId, accountId))
      return c.json<WebhookResponse>({ received: true })
    }
    const accountPayout = readAccountPayout(body)
    if (accountPayout) {
      const portalUrl = new URL('/portal', c.req.url).href
      await noteAccountPayout(db, workspaceId, accountPayout, { now, portalUrl })
      return c.json<WebhookResponse>({ received: true })
    }
    const reversal = readReversedTransfer(body)
    if (reversal) {
      // Stripe retries the event, after the payout and its transfer are saved.
      if ((await noteReversal(db, workspaceId, reversal, now)) === 'in_flight')
        throw lostRace('the payout')
      return c.json<WebhookResponse>({ received: true })
    }
    const reading = { backendCreatesCheckouts }
    const [event, origin] = [readEvent(body, reading), originOf(body)]
    if (!event || !origin) throw new ApiError('invalid_body', NO_EVENT)

    // Stores the first event of any type, which shows the manager that the webhook works.
    const isUsed = event.facts.length > 0 || event.refusal !== undefined
    const { account } = origin
    const counted = refuse(event, { mode, purpose, account })
    const listLines: ListLines = (of) => rpc('payouts', c.env.PAYOUTS.listLines(workspaceId, of))
    const whole =
      readsLines && !counted.refusal ? await readAllLines(body, reading, listLines) : null
    if (isUsed || isNew) await processEvent(db, workspaceId, whole ?? counted, now)
    if (counted.refusal?.code === 'unreadable') {
      throw new ApiError('unreadable_event', explainOutcome(counted.refusal))
    }
    return c.json<WebhookResponse>({ received: true })
  })

/** Receives Stripe's events. */
export default class StripeWebhook extends WorkerEntrypoint<StripeBindings> {
  override fetch(request: Request) {
    return isCron(request) ? answerCron(() => this.#run()) : app.fetch(request, this.env, this.ctx)
  }

  override scheduled() {
    return callCron(this.env)
  }

  /**
   * Applies payments that waited for an invoice or a checkout, continues interrupted requests, and
   * logs a line of JSON about each.
   */
  async #run() {
    const job = 'stripe-webhook'
    const now = new Date()
    const connectAgain = connectWithin(this.env, cronMs(this.env))
    const isDue = { endWaits: hasEndedWaits(now), continueReplans: hasMarked }
    const due = await whatIsDue(connect(this.env), isDue)
    for (const [work, run] of Object.entries({ endWaits, continueReplans })) {
      if (!Reflect.get(due, work)) continue
      await runJob(job, async () => {
        const { applied, failures } = await run(connectAgain, now)
        for (const failure of failures) log('error', { job, work, ...describeError(failure) })
        if (applied) await nudgeAll(this.env, 'OUTBOX', 'WEBHOOKS')
        return applied ? { work, applied } : null
      })
    }
  }
}

/** The RPC of the managers' Workers: stores the secrets that sign events. */
export class SigningSecrets
  extends WorkerEntrypoint<StripeBindings>
  implements SigningSecretsService
{
  addSecret(act: Act, secret: NewSecret): Promise<StoredSecret> {
    return addSecret(this.env, act, secret)
  }
}

/**
 * The RPC of the managers' Workers: credits an event, refunds or corrects a sale, and merges
 * customers.
 */
export class Credits extends WorkerEntrypoint<StripeBindings> implements CreditsService {
  creditEvent(act: Act, eventId: string, credit: HandCreditRequest): Promise<CreditOutcome> {
    return creditEvent(connect(this.env), act, eventId, credit)
  }

  correctSale(
    act: Act,
    externalId: string,
    correction: SaleCorrection,
  ): Promise<CorrectionOutcome> {
    return correctSale(connect(this.env), act, externalId, correction)
  }

  refundByHand(act: Act, report: RefundReport): Promise<HandRefundOutcome> {
    return refundByHand(connect(this.env), act, report)
  }

  decideMerge(act: Act, id: string, decision: MergeDecision): Promise<MergeDecision | 'missing'> {
    return decideMerge(connect(this.env), act, id, decision)
  }
}

/** The RPC of the tracking Workers. */
export class Reports extends WorkerEntrypoint<StripeBindings> implements ReportsService {
  /** Nudges the webhooks, because the caller does not know whether the report causes any. */
  async joinReport(
    workspaceId: string,
    report: IncompleteReport | IncompleteRefund,
  ): Promise<{ id: string; attributed: boolean }> {
    const joined = await joinReport(connect(this.env), workspaceId, report, new Date())
    this.ctx.waitUntil(nudgeAll(this.env, 'WEBHOOKS'))
    return joined
  }

  async decideHolds(request: HoldRequest, undecided: UndecidedHolds): Promise<DecidedHolds> {
    return decideHolds(request, undecided)
  }
}

/** The RPC of the import of customers. */
export class Referrals extends WorkerEntrypoint<StripeBindings> implements ReferralsService {
  replanCustomers(workspaceId: string, customerIds: string[]): Promise<void> {
    return replanImported(connectWithin(this.env, IMPORT_MS), workspaceId, customerIds, new Date())
  }
}
