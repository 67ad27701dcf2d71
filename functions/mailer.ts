import { WorkerEntrypoint } from 'cloudflare:workers'
import type { DatabaseEnv } from '../lib/db/connection.ts'
import type { MailerService, SignInMail } from '../lib/mail/mailer.rpc.ts'
import { sendDue } from '../lib/mail/send-due.service.ts'
import { sendSignInLink } from '../lib/mail/sign-in.service.ts'
import { chooseTransport, type TransportEnv } from '../lib/mail/transport.service.ts'

/** Sends mail: the outbox by cron, and sign-in links on request of the auth Worker. */
export default class Mailer extends WorkerEntrypoint<DatabaseEnv & TransportEnv> implements MailerService {
  /** Nobody calls it by HTTP. */
  override async fetch() {
    return new Response(null, { status: 404 })
  }

  /** Sends what is due, and logs one line of JSON about it, without an address. */
  override async scheduled() {
    const start = Date.now()
    const log = (level: string, entry: object) =>
      console.log(JSON.stringify({ level, job: 'mailer', ms: Date.now() - start, ...entry }))
    try {
      const tally = await sendDue(this.env, chooseTransport(this.env))
      if (tally) log('info', tally)
    } catch (error) {
      log('error', { error: (error as Error).message })
      throw error
    }
  }

  /** Sends a sign-in link at once. @throws when it could not be handed over */
  sendSignInLink(mail: SignInMail): Promise<void> {
    return sendSignInLink(chooseTransport(this.env), mail)
  }
}
