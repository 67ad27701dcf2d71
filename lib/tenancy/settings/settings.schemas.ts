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
      'Payout runs of more than this, in minor units of any currency, wait until a manager other than the one who ' +
        'started them approves. What was begun in the last seven days and needed no approval counts too. null, the ' +
        'default, turns this off. A higher limit, or null, is a `limitRequest` until another manager approves it.',
    ).nullable(),
    payoutOrder: z.enum(PAYOUT_ORDERS, 'Must be smallest_first or largest_first.').meta({
      description:
        'Which balances are paid first where your Stripe balance does not cover all of them. `smallest_first` by default.',
    }),
    paypalPayouts: choice('to PayPal'),
    wisePayouts: choice('to Wise'),
    ibanPayouts: choice('to an IBAN'),
    payoutsRequirePasskey: z.boolean('Must be true or false.').meta({
      description:
        'Whether payouts need a confirmation with a passkey within the last 12 hours, and so does a change of this ' +
        'setting. Defaults to false.',
    }),
    requireDocuments: z.boolean('Must be true or false.').meta({
      description:
        'Whether payout runs skip partners without the mark `documentsReceived`, with the code `documents_missing`. ' +
        'Defaults to false.',
    }),
    selfBilling: z.boolean('Must be true or false.').meta({
      description:
        'Whether a payout to a partner who agreed issues an invoice in the partner’s name. Defaults to false.',
    }),
    salesFrom: z.enum(SALES_FROM, 'Must be both, stripe or api.').meta({
      description:
        'Who reports the sales that earn: `stripe`, your backend by `api`, or `both`, the default. It applies to sales ' +
        'paid or reported from now on.',
    }),
    backendCreatesCheckouts: z.boolean('Must be true or false.').meta({
      description:
        'Whether your backend creates every Checkout Session and sets its `client_reference_id` itself, so that the ' +
        'field may name a customer. Leave it false where a page or a request sets the field. It applies to events ' +
        'received from now on. Defaults to false.',
    }),
    mode: z.enum(MODES, 'Must be live or test.').meta({
      description:
        'Whether Stripe’s real payments count, or those of its test mode. Events and keys of the other mode are ' +
        'refused. It can be changed until an event of the present mode has counted or a key is stored.',
    }),
  })
  .partial()
  .meta({ id: 'SettingsChange' })
