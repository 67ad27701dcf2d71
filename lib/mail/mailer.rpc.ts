/** What the mailer Worker offers to the others, by RPC. */
export type MailerService = {
  /**
   * Sends a sign-in link at once, past the outbox: the link signs in whoever holds it, so it isn't stored.
   *
   * @throws when it could not be handed over for sending after two tries
   */
  sendSignInLink: (mail: SignInMail) => Promise<void>
}

/** A mail that signs somebody in. */
export type SignInMail = { to: string; url: string; expiresInMinutes: number }
