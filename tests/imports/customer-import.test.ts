import { expect, test } from 'vitest'
import {
  type BadCustomerRow,
  type CustomerRow,
  decideCustomerImport,
  type KnownMapping,
} from '../../lib/imports/customers/customer-import.ts'

const PARTNERS = [
  { id: 'maya-1', email: 'maya@x', programId: 'one', isBanned: false },
  { id: 'leo-1', email: 'leo@x', programId: 'one', isBanned: false },
  { id: 'leo-2', email: 'leo@x', programId: 'two', isBanned: false },
]
const START = new Date('2025-01-31')
const row = (partnerEmail: string, changes: Partial<CustomerRow> = {}): CustomerRow => ({
  customerExternalId: 'cus_1',
  customerEmail: null,
  partnerEmail,
  startedAt: null,
  prior: null,
  programId: null,
  ...changes,
})
const known = (partnerId: string, changes: Partial<KnownMapping> = {}): KnownMapping => ({
  partnerId,
  owner: { id: partnerId, email: `${partnerId}@x` },
  email: 'ann@x',
  startedAt: START,
  startedProgramId: 'one',
  prior: null,
  ...changes,
})
/** What one row leads to, its first one. */
const mapping = (
  partnerId: string,
  startedAt: Date | null = null,
  startedProgramId: string | null = null,
) => ({
  ...{ partnerId, email: null, startedAt, startedProgramId, prior: null },
  ...{ emails: [] as string[], referrals: [{ place: 1, partnerId, startedAt }] },
})
const decide = (rows: (CustomerRow | BadCustomerRow)[], customer?: KnownMapping) =>
  decideCustomerImport(
    rows,
    {
      programIds: new Set(['one', 'two']),
      partners: PARTNERS,
      customers: new Map(customer ? [['cus_1', customer]] : []),
      customerIds: new Map(),
    },
    false,
  )

test.each([
  { case: 'an unknown customer is created', rows: [row('maya@x')], statuses: ['created'] },
  {
    case: 'a customer of another partner is updated, with the former one',
    rows: [row('maya@x')],
    customer: known('leo-1'),
    statuses: ['updated'],
    saved: mapping('maya-1'),
  },
  {
    case: 'a customer who is the partner’s by a click is updated, because an import now says so',
    rows: [row('maya@x')],
    customer: known('maya-1', { partnerId: null }),
    statuses: ['updated'],
  },
  {
    case: 'repeated or omitted values change nothing',
    rows: [row('maya@x'), row('maya@x', { customerEmail: 'ann@x', startedAt: START })],
    customer: known('maya-1'),
    statuses: ['unchanged', 'unchanged'],
  },
  {
    case: 'a different email address is an update',
    rows: [row('maya@x', { customerEmail: 'ann@new' })],
    customer: known('maya-1'),
    statuses: ['updated'],
  },
  {
    case: 'a different startedAt is an update',
    rows: [row('maya@x', { startedAt: new Date('2024-12-24') })],
    customer: known('maya-1'),
    statuses: ['updated'],
    saved: mapping('maya-1', new Date('2024-12-24'), 'one'),
  },
  {
    case: 'startedAt applies to the partner’s program',
    rows: [row('leo@x', { startedAt: START, programId: 'two' })],
    customer: known('leo-2'),
    statuses: ['updated'],
    saved: mapping('leo-2', START, 'two'),
  },
  {
    case: 'rows of one customer apply in order, and each refers it',
    rows: [
      row('nobody@x'),
      row('maya@x', { customerEmail: 'ann@x', startedAt: START }),
      row('leo@x', { programId: 'two', customerEmail: 'ann@new' }),
      row('leo@x', { programId: 'two' }),
    ],
    statuses: ['partner_not_found', 'created', 'updated', 'unchanged'],
    saved: {
      ...mapping('leo-2', START, 'one'),
      email: 'ann@new',
      emails: ['ann@x', 'ann@new'],
      referrals: [
        { place: 2, partnerId: 'maya-1', startedAt: START },
        { place: 3, partnerId: 'leo-2', startedAt: null },
      ],
    },
  },
  {
    case: 'an address without a partner is partner_not_found',
    rows: [row('nobody@x')],
    statuses: ['partner_not_found'],
    codes: ['partner_not_found'],
  },
  {
    case: 'a partner of another program than the row’s is not found',
    rows: [row('maya@x', { programId: 'two' })],
    statuses: ['partner_not_found'],
    codes: ['partner_not_found'],
  },
  {
    case: 'an address in two programs is ambiguous without programId',
    rows: [row('leo@x'), row('leo@x', { programId: 'two' })],
    statuses: ['error', 'created'],
    codes: ['partner_ambiguous', undefined],
  },
  {
    case: 'a program of another workspace is an error of its row',
    rows: [row('maya@x', { programId: 'three' })],
    statuses: ['error'],
    codes: ['program_not_found'],
  },
  {
    case: 'an invalid row keeps its position and its reason',
    rows: [
      {
        customerExternalId: '',
        partnerEmail: 'maya@x',
        code: 'customer_id_invalid',
        message: 'Give one.',
      } as const,
      row('maya@x'),
    ],
    statuses: ['error', 'created'],
    codes: ['customer_id_invalid', undefined],
  },
])('$case', ({ rows, customer, statuses, codes, saved }) => {
  const { results, mapped } = decide(rows, customer)
  expect(results.map(({ status }) => status)).toEqual(statuses)
  if (codes) expect(results.map(({ code }) => code)).toEqual(codes)
  if (saved) expect(mapped).toEqual([{ externalId: 'cus_1', ...saved }])
})
