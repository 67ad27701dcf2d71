/** What the payouts Worker offers to the Workers that hold no secret: see functions/payouts.ts. */
import type { RunResultResponse } from './payouts.responses.ts'
import type { PayoutMethod } from './payouts.ts'

/** A refusal in words for whoever asked. */
export type Refused = { refused: string }

/** A key as it is kept: see the table stripe_keys. */
export type EncryptedKey = { ciphertext: string; stripeAccountId: string; livemode: boolean }

/** A partner's way into Stripe. */
export type OnboardingRequest = {
  workspaceId: string
  /** The partner's, under which the account is kept. */
  email: string
  /** ISO 3166, upper case: where the partner lives. Stripe never lets it change. */
  country: string
  /** Where Stripe sends the partner back to when it is done, or has left half-way. */
  returnUrl: string
  /** Where Stripe sends the partner when the link no longer works: a page that asks for another. */
  refreshUrl: string
}

export type RunRequest = {
  workspaceId: string
  /** null for all programs. */
  programId: string | null
  method: PayoutMethod
  dryRun: boolean
  /** The e-mail address of the manager. */
  actor: string
}

export type PayoutsService = {
  /** Asks Stripe whose key it is, and encrypts it for the database. */
  encryptKey: (workspaceId: string, key: string) => Promise<EncryptedKey | Refused>
  /** Begins or continues a partner's onboarding. @returns the address of Stripe's page */
  startOnboarding: (request: OnboardingRequest) => Promise<{ url: string } | Refused>
  /** Asks Stripe how a partner's account is, and writes that down. An account that nobody knows is left alone. */
  refreshAccount: (workspaceId: string, stripeAccountId: string) => Promise<void>
  /** Lets go of a partner's account, unless a payout to it is under way. */
  disconnect: (workspaceId: string, email: string) => Promise<{ disconnected: boolean } | Refused>
  /** Runs payouts, as POST /api/workspaces/:workspace/payouts/run does. @returns the same body */
  run: (request: RunRequest) => Promise<RunResultResponse | Refused>
}
