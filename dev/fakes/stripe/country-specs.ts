/** Country specs: to which countries an account may transfer. */
import { Hono } from 'hono'
import { PAYOUT_COUNTRIES } from '../../../lib/payouts/accounts/countries.ts'
import type { ApiEnv } from './env.ts'
import { StripeError } from './errors.ts'
import { readParams } from './params.ts'
import { answer } from './routes.ts'
import type { Store } from './store.ts'

const EUROPE =
  'AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
    ' ',
  )

/**
 * Accounts in Europe transfer within it, those in the United States to most countries, and others
 * at home only.
 */
export const transferCountriesOf = (country: string): string[] => {
  if (country === 'US') return [...PAYOUT_COUNTRIES]
  return EUROPE.includes(country) ? EUROPE : [country]
}

export const countrySpecRoutes = (store: Store) =>
  new Hono<ApiEnv>().get('/v1/country_specs/:country', async (c) => {
    await readParams(c, {})
    const id = c.req.param('country')
    if (!/^[A-Z]{2}$/.test(id))
      throw new StripeError(404, { message: `Country '${id}' is unknown.` })
    return answer(c, store, {
      id,
      object: 'country_spec',
      default_currency: 'usd',
      supported_bank_account_currencies: { usd: ['US'] },
      supported_payment_currencies: ['usd'],
      supported_payment_methods: ['card', 'stripe'],
      supported_transfer_countries: transferCountriesOf(id),
    })
  })
