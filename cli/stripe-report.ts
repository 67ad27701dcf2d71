/** What `npm run doctor -- --stripe` reports about the endpoints: one line for each workspace. */
import { INVOICE_PAYMENT } from '../lib/purchases/stripe/objects/event-types.ts'
import type { listEndpoints } from '../lib/purchases/stripe/setup.queries.ts'
import { type Line, ok, wrong } from './site-report.ts'

type Endpoint = Awaited<ReturnType<typeof listEndpoints>>[number]

/** @param endpoints those of all workspaces with a signing secret */
export const reportOnStripe = (endpoints: Endpoint[]): Line[] =>
  endpoints.map(({ slug, lacksInvoicePayments }) =>
    lacksInvoicePayments
      ? wrong(
          slug,
          `receives invoices without ${INVOICE_PAYMENT}`,
          `Add ${INVOICE_PAYMENT} to the endpoint in Stripe. Without it, each payment of an invoice is held as a possible duplicate.`,
        )
      : ok(slug, 'no event type is missing so far'),
  )
