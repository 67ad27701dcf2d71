import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { importCall } from '../../lib/imports/import-calls.queries.ts'
import { savePartnerImport } from '../../lib/imports/partners/partner-import.queries.ts'
import { everything } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const NOTHING = { created: 0, skippedExisting: 0, errors: 0, slugsRenamed: 0, couponsMapped: 0 }

test.each([
  { case: 'the address', email: 'maya@partner.example', slug: 'b', coupon: 'B' },
  { case: 'the slug', email: 'b@partner.example', slug: 'MAYA', coupon: 'B' },
  { case: 'the coupon', email: 'b@partner.example', slug: 'b', coupon: 'TAKEN' },
])('when $case is taken between the read and the write, nothing is saved', async (taken) => {
  const merchant = await createMerchant()
  const [maya] = await database.query<{ id: string }>(
    'select id from partners where workspace_id = $1',
    [merchant.workspace.id],
  )
  await database.query(
    "insert into coupon_aliases (id, workspace_id, partner_id, coupon_id) values (gen_random_uuid(), $1, $2, 'TAKEN')",
    [merchant.workspace.id, maya?.id],
  )
  const before = await everything(database, merchant)
  const db = connect(inject('database'))
  const now = new Date()
  const partner = (email: string, slug: string, coupon: string) => ({
    email,
    slug,
    otherSlugs: [],
    name: null,
    coupon: { id: coupon, label: null },
    openingBalanceCents: 500,
    formerLink: null,
    groupId: null,
    mail: {
      partnerName: null,
      programName: 'A program',
      link: 'https://x.example',
      portalUrl: 'https://y.example',
      workspaceName: 'Shop',
      sentBy: 'manager@x.example',
    },
  })
  const saved = await savePartnerImport(db, {
    workspaceId: merchant.workspace.id,
    programId: merchant.programId,
    partners: [
      partner('a@partner.example', 'a', 'A'),
      partner(taken.email, taken.slug, taken.coupon),
    ],
    newGroups: [],
    completed: [],
    notice: {
      workspaceName: 'Shop',
      programName: 'Friends',
      url: 'https://track.example/app/shop/audit',
    },
    audit: { actor: 'manager@x.example', details: {} },
    call: await importCall('partners', null, {}),
    answer: { summary: NOTHING, results: [] },
    now,
  })
  expect(saved).toBe(false)
  expect(await everything(database, merchant)).toEqual(before)
})
