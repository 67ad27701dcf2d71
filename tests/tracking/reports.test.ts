import { expect, inject, test } from 'vitest'
import { hashApiKey } from '../../lib/auth/keys/api-keys.ts'
import { connect } from '../../lib/db/connection.ts'
import { decide } from '../../lib/rules/decisions/decide.ts'
import { decideHolds } from '../../lib/rules/holds/decide-holds.ts'
import type { Report } from '../../lib/rules/steps/report.ts'
import { loadReportFacts } from '../../lib/tracking/reports/facts.queries.ts'
import { saveReport, toSaved } from '../../lib/tracking/reports/reports.queries.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const ownerOf = async ({ workspace }: Merchant) =>
  (
    await database.query<{ slug: string }>(
      'select p.slug from customers c join partners p on p.id = c.partner_id where c.workspace_id = $1',
      [workspace.id],
    )
  )[0]?.slug

test('a sale credited to the customer’s partner does not undo the move of a concurrent click', async () => {
  const merchant = await createMerchant({ program: { attribute_known_customers: true } })
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
  await merchant.lead({ externalId: 'user_1', clickId: await merchant.click('maya') })
  const db = connect(inject('database'))
  const now = new Date()
  const renewal: Report = {
    kind: 'sale',
    externalId: 'renewal',
    customerExternalId: 'user_1',
    customerEmail: null,
    customerName: null,
    clickId: null,
    eventName: 'renewal',
    metadata: null,
    sale: { amountCents: 4_900n, currency: 'USD' },
  }

  const facts = await loadReportFacts(
    db,
    (await hashApiKey(merchant.apiKey)) ?? '',
    renewal,
    new Date(),
  )
  if (typeof facts === 'string') throw new Error(facts)
  await merchant.sale({ customerExternalId: 'user_1', clickId: await merchant.click('leo') })
  const decision = decide(renewal, facts, now)
  expect(decision.credit?.partner.slug).toBe('maya')
  const { workspaceId, customer, adoptsSales, mayBeDuplicate } = facts
  const report = {
    report: renewal,
    customer,
    adoptsSales,
    mayBeDuplicate,
    click: null,
    bodyHash: 'x',
  }
  const decided = {
    workspaceId,
    ...report,
    refunds: [],
    decision,
    occurredAt: now,
    receivedAt: now,
  }
  await saveReport(db, toSaved(decided), decideHolds)

  expect(await ownerOf(merchant)).toBe('leo')
})
