/** The RPC of the payouts Worker, for Workers that hold no secrets: see functions/payouts.ts. */

import type { Act } from '../audit/audit.queries.ts'
import type { LinesOf } from '../stripe/lines.service.ts'
import type { BankFile, BankFileRequest, TemplateFile, TemplateRequest } from './files/files.rpc.ts'
import type { CreditNote, Invoice } from './invoices/invoices.ts'
import type { RunResultResponse } from './payouts.responses.ts'
import type { PayoutMethod } from './payouts.ts'
import type { RunLimits, Total } from './runs/limits.ts'
import type { SavedKey } from './transfers/stripe-keys.queries.ts'

/** A refusal, with a message for the user. */
export type Refused = { refused: string }

/** A request for the address of Stripe's onboarding page. */
export type OnboardingRequest = {
  workspaceId: string
  /** The partner's address, to which the account belongs. */
  email: string
  /** ISO 3166, upper case: the partner's country. Stripe does not let it change. */
  country: string
  /** Where Stripe redirects the partner after onboarding, complete or not. */
  returnUrl: string
  /** Where Stripe redirects the partner if the link has expired: a page that requests another. */
  refreshUrl: string
}

export type RunRequest = {
  workspaceId: string
  /** null for all programs. */
  programId: string | null
  method: PayoutMethod
  dryRun: boolean
  /** The email address of the manager. */
  actor: string
  firstId?: string | undefined
  limits?: RunLimits
  /** What was previewed: the run pays no more. null if any sum may be paid. */
  expected?: Total[] | null
}

/** What a run would pay, for those who may only read. */
export type PreviewRequest = Pick<RunRequest, 'workspaceId' | 'programId' | 'method'>

/** The run would pay more than was expected, so nothing is paid. */
export type PreviewChanged = { changed: RunResultResponse }

/** What the stripe-webhook Worker may ask for. */
export type AccountsService = {
  /** Reads an account's status from Stripe, and saves it. Unknown accounts are ignored. */
  refreshAccount: (workspaceId: string, stripeAccountId: string) => Promise<void>
}

/** The same: what was bought. */
export type PurchaseLinesService = {
  /** All lines of an invoice, a checkout or a credit note; null if the key may not read them. */
  listLines: (workspaceId: string, of: LinesOf) => Promise<object[] | null>
}

/** What the mcp Worker may ask for: nothing that changes anything. */
export type PreviewsService = {
  /** The result that a run would have now. @returns the body of a dry run */
  preview: (request: PreviewRequest) => Promise<RunResultResponse>
}

/** What managers and partners may ask for. */
type CommonService = {
  /** Encrypts what only this Worker may read. */
  seal: (workspaceId: string, text: string) => Promise<string>
  /** An invoice as a PDF file, or a credit note that corrects it. */
  invoicePdf: (invoice: Invoice, note?: CreditNote) => Promise<Uint8Array>
}

/** What the portal may ask for: nothing that pays, and no key. */
export type PartnerPayoutsService = AccountsService &
  CommonService & {
    /** Starts or continues a partner's onboarding. @returns the address of Stripe's page */
    startOnboarding: (request: OnboardingRequest) => Promise<{ url: string } | Refused>
    /** The address of a partner's own dashboard at Stripe; null if the partner has no account. */
    openDashboard: (holder: { workspaceId: string; email: string }) => Promise<string | null>
    /**
     * Ends an account's hold by the mailed link. @returns false without a hold, or by another link
     */
    confirmAccount: (
      holder: { workspaceId: string; email: string },
      token: string,
    ) => Promise<boolean>
    /** Disconnects a partner's account, unless a payout to it is in flight. */
    disconnect: (workspaceId: string, email: string) => Promise<{ disconnected: boolean } | Refused>
  }

/** A product of a merchant's catalogue at Stripe. */
export type CatalogProduct = { productId: string; name: string }

/** What the managers' Workers may ask for. */
export type ManagerPayoutsService = CommonService & {
  /** Verifies a key with Stripe, and stores it, encrypted: no other Worker may. */
  saveKey: (act: Act, key: string) => Promise<SavedKey | Refused>
  /** The events that Stripe sends to a URL; null if it has no endpoint, or the key may not ask. */
  listSentEvents: (workspaceId: string, url: string) => Promise<string[] | null>
  /** Products of the Stripe account's catalogue, as far as the key may read them. */
  listProducts: (workspaceId: string) => Promise<CatalogProduct[]>
  /** Runs payouts, as POST /api/workspaces/:workspace/payouts/run does. @returns the same body */
  run: (request: RunRequest) => Promise<RunResultResponse | Refused | PreviewChanged>
  bankFile: (request: BankFileRequest) => Promise<BankFile | Refused>
  templateFile: (request: TemplateRequest) => Promise<TemplateFile | Refused>
}

/** The methods of all entrypoints. Each caller is bound to one entrypoint: see wrangler.toml. */
export type PayoutsService = ManagerPayoutsService & PartnerPayoutsService
