import type { Language } from '../languages/languages.ts'

/** The RPC methods of the mailer Worker. */
export type MailerService = {
  hasTransport: () => boolean | Promise<boolean>

  /**
   * Sends a sign-in link immediately, because the outbox must not store it. @throws if two attempts
   * failed
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
