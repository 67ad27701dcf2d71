/** The lines of what was paid, read by the key that pays partners. */
import { describe, expect, test } from 'vitest'
import { listLines } from '../../lib/payouts/stripe/lines.service.ts'
import { usePayouts } from '../support/payouts.ts'

const { createPayer, env, stripe, query } = usePayouts()

/** A paid checkout of so many products, at a merchant's Stripe account. */
const open = async (products = 1, hasInvoice = false) => {
  const { workspaceId, key } = await createPayer()
  const post = async (path: string, fields: Record<string, string>) => {
    const answer = await fetch(`${stripe().url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: new URLSearchParams(fields),
    })
    return (await answer.json()) as { id: string }
  }
  const items = Array.from({ length: products }, (_, i) => ({
    [`line_items[${i}][price_data][currency]`]: 'usd',
    [`line_items[${i}][price_data][unit_amount]`]: String(100 + i),
    [`line_items[${i}][price_data][product_data][name]`]: `No. ${i}`,
  }))
  const { id } = await post('/v1/checkout/sessions', {
    mode: 'payment',
    success_url: 'https://shop.example/',
    ...(hasInvoice && { 'invoice_creation[enabled]': 'true' }),
    ...Object.assign({}, ...items),
  })
  const session = stripe().pay(id, { email: 'ada@example.com' })
  return { workspaceId, session, invoice: String(session.invoice) }
}

describe('listLines', () => {
  test('lists all of them, from every page', async () => {
    const { workspaceId, invoice } = await open(100, true)
    const calls = stripe().calls()
    const lines = await listLines(env(), workspaceId, { of: 'invoice', id: invoice })
    expect(lines?.map((line) => Reflect.get(line, 'amount'))).toEqual(
      Array.from({ length: 100 }, (_, i) => 100 + i),
    )
    expect(stripe().calls() - calls).toBe(1)
  })

  test('of a checkout and of a credit note, too', async () => {
    const { workspaceId, session, invoice } = await open(2, true)
    const checkout = { of: 'checkout', id: session.id } as const
    expect(await listLines(env(), workspaceId, checkout)).toMatchObject([
      { description: 'No. 0', amount_total: 100 },
      { description: 'No. 1', amount_total: 101 },
    ])
    const [line] = (await listLines(env(), workspaceId, { of: 'invoice', id: invoice })) ?? []
    const id = String(Reflect.get(line ?? {}, 'id'))
    const note = stripe().creditNote(invoice, 60, [{ invoice_line_item: id, amount: 60 }])
    const ofNote = { of: 'credit_note', id: note.id } as const
    expect(await listLines(env(), workspaceId, ofNote)).toMatchObject([
      { invoice_line_item: id, amount: 60 },
    ])
  })

  test('is null if Stripe refuses, or there is no key', async () => {
    const { workspaceId } = await open()
    const unknown = { of: 'invoice', id: 'in_unknown' } as const
    expect(await listLines(env(), workspaceId, unknown)).toBeNull()
    await query('delete from stripe_keys where workspace_id = $1', [workspaceId])
    expect(await listLines(env(), workspaceId, unknown)).toBeNull()
  })

  test('fails without a clear answer, so that the event is sent again', async () => {
    const { workspaceId, session } = await open()
    stripe().plan({ status: 500 })
    const checkout = { of: 'checkout', id: session.id } as const
    await expect(listLines(env(), workspaceId, checkout)).rejects.toThrow()
    expect(await listLines(env(), workspaceId, checkout)).toHaveLength(1)
  })
})
