import { WorkerEntrypoint } from 'cloudflare:workers'
import { connect } from '../lib/db/connection.ts'
import { answerCron, type CronEnv, callCron, isCron } from '../lib/http/cron.ts'
import { runJob } from '../lib/http/logging.ts'
import { releaseMails } from '../lib/mail/held.queries.ts'
import type { MailerService, SignInMail } from '../lib/mail/mailer.rpc.ts'
import { dailyMails, type NewWorkspaceMails } from '../lib/mail/new-workspace-mails.ts'
import { sendDue } from '../lib/mail/send-due.service.ts'
import { sendSignInLink } from '../lib/mail/sign-in.service.ts'
import { chooseTransport, hasTransport, type TransportEnv } from '../lib/mail/transport.service.ts'
import { type RetentionEnv, retain } from '../lib/people/retention.service.ts'
import { type UpkeepEnv, upkeep } from '../lib/totals/upkeep.service.ts'

/**
 * Sends mail: the outbox by cron, and sign-in links on request of the auth Worker. Its cron also keeps totals and clicks in
 * order, and what names people no longer than needed: it runs every minute with the database alone, without the keys that the other Workers with a cron hold.
 */
export default class Mailer
  extends WorkerEntrypoint<UpkeepEnv & RetentionEnv & TransportEnv & NewWorkspaceMails & CronEnv>
  implements MailerService
{
  /** Only its own cron calls it by HTTP. */
  override async fetch(request: Request) {
    return isCron(request) ? answerCron(() => this.#run()) : new Response(null, { status: 404 })
  }

  override scheduled() {
    return callCron(this.env)
  }

  /** Sends what is due, keeps totals and clicks, and logs one line of JSON about each, without an address. */
  async #run() {
    const failures: unknown[] = []
    // One that fails does not stop the others.
    const run = (job: string, work: () => Promise<object | null>) =>
      runJob(job, work).catch((failure: unknown) => failures.push(failure))
    await run('held', async () => {
      const released = await releaseMails(connect(this.env), dailyMails(this.env), new Date())
      return released ? { released } : null
    })
    await run('mailer', async () => sendDue(this.env, chooseTransport(this.env)))
    await run('upkeep', () => upkeep(this.env))
    await run('retention', () => retain(this.env, new Date()))
    if (failures.length > 0) throw failures[0]
  }

  /** Whether mail can be sent at all. */
  hasTransport() {
    return hasTransport(this.env)
  }

  /** Sends a sign-in link at once. @throws when it could not be handed over */
  sendSignInLink(mail: SignInMail): ReturnType<MailerService['sendSignInLink']> {
    return sendSignInLink(chooseTransport(this.env), mail)
  }
}
