/** The RPC methods of the mailer Worker. */
export type MailerService = {
  /**
   * Sends a sign-in link immediately. It bypasses the outbox, because a link that signs somebody in must not be stored.
   *
   * @throws when it could not be sent after two attempts
   */
  sendSignInLink: (mail: SignInMail) => Promise<void>
}

/** A mail with a sign-in link. */
export type SignInMail = { to: string; url: string; expiresInMinutes: number }
