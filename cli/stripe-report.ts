/** What `npm run doctor -- --stripe` says of the endpoints: one line for each workspace. */
import { INVOICE_PAYMENT } from '../lib/purchases/stripe/objects/event-types.ts'
import type { listEndpoints } from '../lib/purchases/stripe/setup.queries.ts'
import type { Line } from './site-report.ts'

type Endpoint = Awaited<ReturnType<typeof listEndpoints>>[number]

/** @param endpoints those of all workspaces with a signing secret */
export const reportOnStripe = (endpoints: Endpoint[]): Line[] =>
  endpoints.map(({ slug, lacksInvoicePayments }) =>
    lacksInvoicePayments
      ? {
          state: 'wrong',
          name: slug,
          found: `receives invoices, and never ${INVOICE_PAYMENT}`,
          fix: `Add ${INVOICE_PAYMENT} to the endpoint in Stripe: without it, each payment of an invoice is held as a possible duplicate.`,
        }
      : { state: 'ok', name: slug, found: 'lacks no event, as far as its events show' },
  )
