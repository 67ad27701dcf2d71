import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { imports } from './paths/imports.ts'
import { ledger } from './paths/ledger.ts'
import { mails } from './paths/mails.ts'
import { papers } from './paths/papers.ts'
import { payouts } from './paths/payouts.ts'
import { programs } from './paths/programs.ts'
import { stripe } from './paths/stripe.ts'
import { tracking } from './paths/tracking.ts'
import { workspaces } from './paths/workspaces.ts'

/** The public API, from the schemas that validate requests and check responses in tests. */
export const paths: ZodOpenApiPathsObject = {
  ...tracking,
  ...ledger,
  ...programs,
  ...payouts,
  ...papers,
  ...stripe,
  ...workspaces,
  ...mails,
  ...imports,
}
