/** Requests about a workspace's settings, for the API and the page's form. */
import * as z from 'zod'
import { integer } from '../../http/fields.ts'
import { MODES, SALES_FROM } from '../../rules/purchases/processors.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { PAYOUT_ORDERS } from './funds.ts'

const choice = (what: string) =>
  z.boolean('Must be true or false.').meta({
    description:
      `Whether partners may choose in their portal to be paid ${what}, while ` +
      '`manualPayouts` is true. Defaults to false.',
  })

/** PATCH /api/workspaces/:workspace/settings. Omitted fields keep their values. */
export const SettingsChange = z
  .strictObject({
    manualPayouts: z.boolean('Must be true or false.').meta({
      description:
        'Whether partners may be paid by bank transfer, without a Stripe account of their own. Defaults to false.',
    }),
    approvalAboveCents: integer(
      0,
      MAX_AMOUNT_CENTS,
      'What runs may pay in seven days, in minor units of any currency, before another manager must approve. null, the ' +
        'default, is no limit.',
    ).nullable(),
    payoutOrder: z.enum(PAYOUT_ORDERS, 'Must be smallest_first or largest_first.').meta({
      description:
        'Which balances are paid first if your Stripe balance does not cover all of them. `smallest_first` by default.',
    }),
    paypalPayouts: choice('to PayPal'),
    wisePayouts: choice('to Wise'),
    ibanPayouts: choice('to an IBAN'),
    payoutsRequirePasskey: z.boolean('Must be true or false.').meta({
      description:
        'Whether payouts, and changes of this setting, need a confirmation with a passkey within the last 12 hours. ' +
        'Defaults to false.',
    }),
    requireDocuments: z.boolean('Must be true or false.').meta({
      description:
        'Whether payout runs skip partners without `documentsReceived`, with the code `documents_missing`. ' +
        'Defaults to false.',
    }),
    selfBilling: z.boolean('Must be true or false.').meta({
      description:
        'Whether payouts to partners who have agreed issue invoices in their name. Defaults to false.',
    }),
    salesFrom: z.enum(SALES_FROM, 'Must be both, stripe or api.').meta({
      description:
        'Who reports the sales that earn: `stripe`, your backend by `api`, or `both`, the default. Applies to sales ' +
        'paid or reported from now on.',
    }),
    backendCreatesCheckouts: z.boolean('Must be true or false.').meta({
      description:
        'Whether only your backend sets the `client_reference_id` of Checkout Sessions, so that it may name a customer. ' +
        'Applies to events received from now on. Defaults to false.',
    }),
    mode: z.enum(MODES, 'Must be live or test.').meta({
      description:
        'Whether Stripe’s real payments count, or those of its test mode. Can be changed until an event of the ' +
        'current mode has counted or a key is stored.',
    }),
  })
  .partial()
  .meta({ id: 'SettingsChange' })
