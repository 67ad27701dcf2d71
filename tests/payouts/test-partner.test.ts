/**
 * A program's test partner is never paid. docs/guide-test-your-integration.md, "Where it stops".
 */
import { expect, test } from 'vitest'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()

const stage = async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const tester = await payer.addPartner({ slug: 'test', owed: [{ amountCents: 700 }] })
  await world.query('update partners set is_test = true where id = $1', [tester.id])
  return { payer, maya, tester }
}

test.each(['stripe', 'manual'] as const)(
  'by a run of the method %s, which pays the others',
  async (method) => {
    const { payer, maya, tester } = await stage()
    await world.query('update workspaces set manual_payouts = true where id = $1', [
      payer.workspaceId,
    ])
    const skipped = [
      { partnerId: tester.id, currency: 'USD', amountCents: 700, code: 'test_partner' },
    ]
    expect(await payer.run({ method, dryRun: true })).toMatchObject({ skipped })
    const run = await payer.run({ method })
    expect(run.payouts.map(({ partnerId }) => partnerId)).toEqual([maya.id])
    expect(run).toMatchObject({ skipped })
    expect(await payer.run({ method })).toMatchObject({ payouts: [], skipped })
    expect(await world.query('select from payouts where partner_id = $1', [tester.id])).toEqual([])
    expect(await world.violations()).toEqual([])
  },
)

test('and one that was is a violation of the ledger', async () => {
  const { payer, maya } = await stage()
  await payer.run()
  await world.query('update partners set is_test = false where program_id = $1', [payer.programId])
  await world.query('update partners set is_test = true where id = $1', [maya.id])
  expect(await world.violations()).toMatchObject([{ invariant: 'a test partner is never paid' }])
  await world.query('update partners set is_test = false where id = $1', [maya.id])
})

test('and there is one in a program at most', async () => {
  const { maya } = await stage()
  await expect(
    world.query('update partners set is_test = true where id = $1', [maya.id]),
  ).rejects.toThrow('partners_test_key')
})
