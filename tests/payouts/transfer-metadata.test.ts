import { expect, test } from 'vitest'
import { type ListedTransfer, ourTransfer } from '../../lib/payouts/transfers/transfer-metadata.ts'

const [PAYOUT, WORKSPACE, RUN, PROGRAM, PARTNER] = [1, 2, 3, 4, 5].map(
  (digit) => `01900000-0000-7000-8000-00000000000${digit}`,
) as [string, string, string, string, string]

const createdAt = new Date('2026-03-01T00:00:10Z')
const metadata = {
  payout_id: PAYOUT,
  workspace_id: WORKSPACE,
  run_id: RUN,
  program_id: PROGRAM,
  partner_id: PARTNER,
  cutoff_at: '2026-03-01T00:00:00.000Z',
}
const listed: ListedTransfer = {
  id: 'tr_1',
  account: 'acct_1',
  amountCents: 4_900,
  reversedCents: 0,
  currency: 'USD',
  createdAt,
  group: `payout_${PAYOUT}`,
  metadata,
}

test('a transfer of a payout says all that it takes to adopt it', () => {
  const { group: _, metadata: __, ...rest } = listed
  expect(ourTransfer(listed, WORKSPACE)).toEqual({
    ...rest,
    payoutId: PAYOUT,
    runId: RUN,
    programId: PROGRAM,
    partnerId: PARTNER,
    cutoffAt: new Date('2026-03-01T00:00:00Z'),
  })
})

test('an older one, which says less, has the cutoff of its creation', () => {
  const { payout_id, workspace_id, partner_id } = metadata
  expect(
    ourTransfer({ ...listed, metadata: { payout_id, workspace_id, partner_id } }, WORKSPACE),
  ).toMatchObject({
    runId: null,
    programId: null,
    partnerId: PARTNER,
    cutoffAt: createdAt,
  })
})

test.each([
  { case: 'without metadata, whatever its group', change: { metadata: {} } },
  { case: 'of another workspace', change: { metadata: { ...metadata, workspace_id: RUN } } },
  {
    case: 'of a payout that is no id',
    change: { metadata: { ...metadata, payout_id: "x' or true" } },
  },
  { case: 'in another group', change: { group: `payout_${RUN}` } },
  { case: 'in no group', change: { group: null } },
  { case: 'of nothing', change: { amountCents: 0 } },
])('a transfer $case is not ours', ({ change }) => {
  expect(ourTransfer({ ...listed, ...change }, WORKSPACE)).toBeNull()
})

test('ids that are none are left out, and a cutoff that is none', () => {
  const odd = { ...metadata, run_id: 'x', partner_id: '', cutoff_at: 'soon' }
  expect(ourTransfer({ ...listed, metadata: odd }, WORKSPACE)).toMatchObject({
    runId: null,
    partnerId: null,
    cutoffAt: createdAt,
  })
})
