import type { Language } from '../languages/languages.ts'

/** The RPC methods of the mailer Worker. */
export type MailerService = {
  hasTransport: () => boolean | Promise<boolean>

  /**
   * Sends a sign-in link immediately. It bypasses the outbox, because a link that signs somebody in
   * must not be stored.
   *
   * @throws when it could not be sent after two attempts
   */
  sendSignInLink: (mail: SignInMail) => Promise<SignInOutcome>
}

/** `refused`: the transport never delivers to this address. `exhausted`: its quota is used up. */
export type SignInOutcome = 'sent' | 'refused' | 'exhausted'

export type SignInMail = {
  to: string
  url: string
  expiresInMinutes: number
  language?: Language | undefined
}
