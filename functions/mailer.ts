import { WorkerEntrypoint } from 'cloudflare:workers'
import type { BudgetEnv } from '../lib/db/budget.service.ts'
import { connect } from '../lib/db/connection.ts'
import { whatIsDue } from '../lib/db/due.queries.ts'
import { runJob } from '../lib/http/logging.ts'
import {
  answerCron,
  type CronEnv,
  type CronTimeEnv,
  callCron,
  cronMs,
  isCron,
} from '../lib/http/rpc/cron.ts'
import { answerNudge, ROUND_MS, type SelfEnv } from '../lib/http/rpc/nudge.service.ts'
import type { NudgesService } from '../lib/http/rpc/nudges.rpc.ts'
import type { MailerService, SignInMail } from '../lib/mail/mailer.rpc.ts'
import { hasHeldMails, releaseMails } from '../lib/mail/outbox/held-mails.queries.ts'
import { dailyMails, type NewWorkspaceMails } from '../lib/mail/outbox/new-workspace-mails.ts'
import { hasDueMails } from '../lib/mail/outbox/queue.queries.ts'
import type { QuotaSettings } from '../lib/mail/outbox/quota.ts'
import { sendDue } from '../lib/mail/outbox/send-due.service.ts'
import { sendSignInLink } from '../lib/mail/outbox/sign-in.service.ts'
import { noteUsage } from '../lib/mail/outbox/usage.queries.ts'
import { isCounted } from '../lib/mail/transport/accounts.ts'
import {
  chooseSenders,
  chooseTransport,
  hasTransport,
  type TransportEnv,
} from '../lib/mail/transport/transport.service.ts'
import { hasDueDeletions } from '../lib/people/deletion.queries.ts'
import { needsRetention } from '../lib/people/retention.queries.ts'
import {
  eraseWorkspaces,
  keptSince,
  type RetentionEnv,
  retain,
} from '../lib/people/retention.service.ts'
import { needsUpkeep } from '../lib/totals/upkeep.queries.ts'
import { clickDays, fold, type UpkeepEnv, upkeep } from '../lib/upkeep/upkeep.service.ts'

type Env = UpkeepEnv &
  RetentionEnv &
  TransportEnv &
  QuotaSettings &
  NewWorkspaceMails &
  BudgetEnv &
  CronEnv &
  CronTimeEnv &
  SelfEnv

/**
 * Sends what is due, and logs one line of JSON, without an address.
 * @returns whether more is due
 */
const send = async (env: Env, ms: number): Promise<boolean> => {
  const sent = await runJob('mailer', () => sendDue(env, chooseSenders(env), ms))
  return sent?.isMore === true
}

/** The RPC of Workers whose transactions queue mails. */
export class Nudges extends WorkerEntrypoint<Env> implements NudgesService {
  /** Sends what is due, and folds the totals. */
  async nudge(round = 1) {
    answerNudge(this.ctx, this.env, round, async () => {
      await fold(this.env, connect(this.env)).catch(() => {})
      return send(this.env, ROUND_MS)
    })
  }
}

/**
 * Sends mail: the outbox, and sign-in links for the auth Worker. Its cron also maintains totals and
 * clicks, and deletes personal data that has expired. It needs only the database, not the keys that
 * the other Workers with a cron hold.
 */
export default class Mailer extends Nudges implements MailerService {
  /** Only its own cron calls it by HTTP. */
  override async fetch(request: Request) {
    return isCron(request)
      ? answerCron(() => this.#run(new Date()))
      : new Response(null, { status: 404 })
  }

  override scheduled() {
    return callCron(this.env)
  }

  /** Does what is due, and logs one line of JSON about each kind. */
  async #run(now: Date) {
    const failures: unknown[] = []
    // A failed task does not stop the others.
    const noteFailure = (failure: unknown) => {
      failures.push(failure)
      return null
    }
    const run = <Tally extends object>(job: string, work: () => Promise<Tally | null>) =>
      runJob(job, work).catch(noteFailure)
    const { env } = this
    let due = { held: false, mails: false, upkeep: false, retention: false, deletions: false }
    await run('mailer', async () => {
      due = await whatIsDue(connect(env), {
        held: hasHeldMails,
        mails: hasDueMails(now),
        upkeep: needsUpkeep(clickDays(env)),
        retention: needsRetention(keptSince(env, now), now),
        deletions: hasDueDeletions(now),
      })
      return null
    })
    const held =
      due.held &&
      (await run('held', async () => {
        const released = await releaseMails(connect(env), dailyMails(env), now)
        return released ? { released } : null
      }))
    const isMore = (due.mails || held) && (await send(env, cronMs(env)).catch(noteFailure))
    // A full batch may have used up the subrequests. The next run does the upkeep.
    if (due.upkeep && !isMore) await run('upkeep', () => upkeep(env))
    if (due.retention && !isMore) await run('retention', () => retain(env, now))
    if (due.deletions && !isMore) await run('erasure', () => eraseWorkspaces(env, now))
    if (failures.length > 0) throw failures[0]
  }

  /** Whether sending is configured. */
  hasTransport() {
    return hasTransport(this.env)
  }

  /** @throws if the mail provider did not accept it */
  sendSignInLink(mail: SignInMail): ReturnType<MailerService['sendSignInLink']> {
    return sendSignInLink(chooseTransport(this.env), mail, (note) => {
      if (!isCounted(note, this.env)) return
      this.ctx.waitUntil(noteUsage(connect(this.env), note, new Date()).catch(() => {}))
    })
  }
}
