/** Transfers from a platform to its connected accounts, and its balance. */
import { type Context, Hono } from 'hono'
import type Stripe from 'stripe'
import * as z from 'zod'
import { isCurrency } from '../../../lib/values/money.ts'
import { transfersOf } from './accounts.ts'
import { noAccess } from './accounts-v1.ts'
import { needs } from './authentication.ts'
import type { ApiEnv } from './env.ts'
import { invalidParam, invalidRequest, StripeError } from './errors.ts'
import { isLiveKey } from './keys.ts'
import { integer, metadata, readParams, text } from './params.ts'
import type { Platform, Platforms } from './platforms.ts'
import { answer, readable } from './routes.ts'
import { idOf, listOf, newId, type Store } from './store.ts'
import { reverseTransfer } from './transfer-reversals.ts'
import type { Webhooks } from './webhooks.ts'

const PATH = '/v1/transfers'

type TransferParams = {
  amount: number
  currency: string
  destination: string
  description?: string | undefined
  metadata?: Record<string, string> | undefined
  source_type?: string | undefined
  transfer_group?: string | undefined
}

/** Throws when a destination can't receive transfers. */
const checkDestination = (platform: Platform, id: string): void => {
  if (id === platform.id) {
    throw new StripeError(400, {
      message: 'You cannot transfer to your own account.',
      param: 'destination',
    })
  }
  const account = platform.accounts.find(id)
  if (!account)
    throw invalidParam('destination', `No such destination: '${id}'`, 'resource_missing')
  if (account.standing === 'closed') throw noAccess(id)
  if (account.recipient && transfersOf(account) === 'active') return
  throw invalidRequest(
    'Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments',
    'insufficient_capabilities_for_transfer',
  )
}

/** https://docs.stripe.com/currencies#three-decimal */
const THREE_DECIMALS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd'])

/**
 * Stripe takes eight digits, and twelve in a few currencies:
 * https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
 */
const maximumOf = (currency: string): number => (currency === 'idr' ? 999_999_999_999 : 99_999_999)

/**
 * Creates a transfer.
 * @throws when the balance is insufficient or the destination can't receive it
 */
const transfer = (
  store: Store,
  platforms: Platforms,
  platform: Platform,
  { amount, currency, destination, ...params }: TransferParams,
): Stripe.Transfer => {
  checkDestination(platform, destination)
  if (THREE_DECIMALS.has(currency) && amount % 10 !== 0) {
    throw invalidParam('amount', `Invalid amount. In ${currency}, the last digit must be 0.`)
  }
  if (amount < platforms.minimumOf(currency)) {
    throw invalidParam(
      'amount',
      'The specified amount is less than the minimum amount allowed. Use a higher amount and try again.',
      'amount_too_small',
    )
  }
  if (amount > maximumOf(currency)) {
    throw invalidParam(
      'amount',
      'The specified amount is greater than the maximum amount allowed. Use a lower amount and try again.',
      'amount_too_large',
    )
  }
  const balance = platforms.balanceOf(platform, currency)
  if (balance < amount) {
    throw invalidRequest(
      'You have insufficient available funds in your Stripe account. Try adding funds directly to your available balance by creating Charges using the 4000000000000077 test card. See: https://stripe.com/docs/testing#available-balance',
      'balance_insufficient',
    )
  }
  platforms.setBalance(currency, balance - amount, platform)
  const id = newId('tr')
  return platform.transfers.add({
    id,
    object: 'transfer',
    amount,
    amount_reversed: 0,
    balance_transaction: newId('txn'),
    created: store.seconds(),
    currency,
    description: params.description ?? null,
    destination,
    destination_payment: newId('py'),
    livemode: false,
    metadata: params.metadata ?? {},
    reversals: listOf([], `${PATH}/${id}/reversals`),
    reversed: false,
    source_transaction: null,
    source_type: params.source_type ?? 'card',
    transfer_group: params.transfer_group ?? null,
  })
}

const currency = text
  .transform((code) => code.toLowerCase())
  .refine((code) => isCurrency(code.toUpperCase()), 'Invalid currency')

/** All currencies: a platform whose balance nobody has set has plenty in each. */
const CURRENCIES = Intl.supportedValuesOf('currency')
  .filter(isCurrency)
  .map((code) => code.toLowerCase())

/** A platform's balance, by currency. */
const balance = (platforms: Platforms, platform: Platform, livemode: boolean): Stripe.Balance => {
  const available = CURRENCIES.map((code) => {
    const amount = platforms.balanceOf(platform, code)
    return { amount, currency: code, source_types: { card: amount } }
  })
  return {
    object: 'balance',
    available,
    connect_reserved: available.map((one) => ({ amount: 0, currency: one.currency })),
    livemode,
    pending: available.map((one) => ({
      amount: 0,
      currency: one.currency,
      source_types: { card: 0 },
    })),
  }
}

export const transferRoutes = (store: Store, platforms: Platforms, webhooks: Webhooks) =>
  new Hono<ApiEnv>()
    .use(PATH, needs('transfer_read'))
    .use(`${PATH}/*`, needs('transfer_read'))
    .get('/v1/balance', needs('balance_read'), async (c) => {
      await readParams(c, {})
      return answer(c, store, balance(platforms, c.var.platform, isLiveKey(c.var.key)))
    })
    .post(PATH, needs('transfer_write'), async (c) => {
      const params = await readParams(c, {
        amount: integer.pipe(z.int().min(1)),
        currency,
        destination: text,
        description: text.optional(),
        metadata: metadata.optional(),
        source_type: z.enum(['bank_account', 'card', 'fpx']).optional(),
        transfer_group: text.optional(),
      })
      const { platform } = c.var
      const made = transfer(store, platforms, platform, params)
      webhooks.emitConnect(platform.id, { type: 'transfer.created', object: made })
      return answer(c, store, made)
    })
    .post(`${PATH}/:id/reversals`, needs('transfer_write'), async (c) => {
      const params = await readParams(c, {
        amount: integer.pipe(z.int().min(1)).optional(),
        metadata: metadata.optional(),
      })
      const { platform } = c.var
      const reversing = { store, platforms, webhooks }
      return answer(c, store, reverseTransfer(reversing, platform, c.req.param('id'), params))
    })
    .route(
      '/',
      readable(store, PATH, (c: Context<ApiEnv>) => c.var.platform.transfers, {
        destination: (one, id) => idOf(one.destination) === id,
        transfer_group: (one, group) => one.transfer_group === group,
      }),
    )
