/** Applications by the API: what managers and backends read and decide. */
import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { type Answer, createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const database = useDatabase()

type Application = { id: string; email: string; status: string }

/** Somebody who has applied, as the page saves it. */
const addApplication = async ({ workspace, programId }: Merchant, name: string, columns: object = {}) => {
  const email = `${name.toLowerCase()}@${workspace.slug}.example`
  const id = newId()
  const values = {
    id,
    workspace_id: workspace.id,
    program_id: programId,
    email,
    name,
    promotion: 'I review apps.',
    answers: '[]',
    applied_at: '2026-01-02T03:04:05.000Z',
    ...columns,
  }
  await database.query(
    `insert into applications (${Object.keys(values)}) values (${Object.keys(values).map((_, index) => `$${index + 1}`)})`,
    Object.values(values),
  )
  return { id, email, path: `/applications/${id}` }
}

const INVITED = {
  name: '',
  promotion: '',
  applied_at: null,
  invited_at: '2026-01-01T00:00:00.000Z',
  invited_by: 'ann@shop.example',
}
const REJECTED = {
  outcome: 'rejected',
  decided_at: '2026-01-03T00:00:00.000Z',
  decided_by: 'ann@shop.example',
  reason: 'Too small',
  is_blocked: true,
}

const rowsOf = ({ body }: Answer) => body.data as unknown as Application[]

describe('GET /applications', () => {
  test('has what people wrote, what was decided, and nothing else', async () => {
    const merchant = await createMerchant()
    const ann = await addApplication(merchant, 'Ann', {
      site_url: 'https://ann.example',
      answers: JSON.stringify([{ question: 'Where?', answer: 'Chile' }]),
    })
    const ida = await addApplication(merchant, 'Ida', INVITED)
    const bob = await addApplication(merchant, 'Bob', REJECTED)
    const common = {
      programId: merchant.programId,
      siteUrl: null,
      answers: [],
      agreementVersion: null,
      invitedAt: null,
      invitedBy: null,
      groupId: null,
      decidedAt: null,
      decidedBy: null,
      reason: null,
      blocked: false,
      partnerId: null,
    }
    const applied = { appliedAt: '2026-01-02T03:04:05.000Z', promotion: 'I review apps.' }
    expect((await merchant.get('/applications')).body).toEqual({
      data: [
        {
          ...common,
          ...applied,
          id: bob.id,
          email: bob.email,
          name: 'Bob',
          status: 'rejected',
          decidedAt: REJECTED.decided_at,
          decidedBy: REJECTED.decided_by,
          reason: 'Too small',
          blocked: true,
        },
        {
          ...common,
          id: ida.id,
          email: ida.email,
          name: null,
          status: 'invited',
          promotion: null,
          appliedAt: null,
          invitedAt: INVITED.invited_at,
          invitedBy: INVITED.invited_by,
        },
        {
          ...common,
          ...applied,
          id: ann.id,
          email: ann.email,
          name: 'Ann',
          status: 'applied',
          siteUrl: 'https://ann.example',
          answers: [{ question: 'Where?', answer: 'Chile' }],
        },
      ],
      nextCursor: null,
    })
    const [, , last] = rowsOf(await merchant.get('/applications'))
    expect((await merchant.get(ann.path)).body).toEqual(last)
  })

  test('is filtered by status and program, page by page, as the export and the page are', async () => {
    const merchant = await createMerchant()
    const other = await merchant.seed.addProgram(merchant.workspace.id)
    const ann = await addApplication(merchant, 'Ann')
    const bob = await addApplication(merchant, 'Bob', REJECTED)
    const ida = await addApplication(merchant, 'Ida', INVITED)
    const zoe = await addApplication(merchant, 'Zoe', { program_id: other })
    const idsIn = async (query: string) =>
      rowsOf(await merchant.get(`/applications?${query}`)).map(({ id }) => id)
    const pages = await openPages(merchant)
    for (const { query, ids } of [
      { query: '', ids: [zoe.id, ida.id, bob.id, ann.id] },
      { query: 'status=applied', ids: [zoe.id, ann.id] },
      { query: 'status=invited', ids: [ida.id] },
      { query: 'status=rejected', ids: [bob.id] },
      { query: 'status=approved', ids: [] },
      { query: `programId=${merchant.programId}`, ids: [ida.id, bob.id, ann.id] },
      { query: `programId=${merchant.programId.toUpperCase()}&status=applied`, ids: [ann.id] },
      { query: `programId=${newId()}`, ids: [] },
    ]) {
      expect([query, await idsIn(query)]).toEqual([query, ids])
      const file = String((await merchant.get(`/export/applications.csv?${query}`)).body.text)
      const [header, ...rows] = file.trimEnd().split('\r\n')
      expect(rows.map((row) => row.slice(1, 37))).toEqual(ids)
      const fields = Object.keys((await merchant.get(ann.path)).body)
      expect(JSON.parse(`[${header}]`).sort()).toEqual(fields.sort())
      const { html } = await pages.get(`/applications?${query}`)
      expect([...html.matchAll(/applications\/([0-9a-f-]{36})/g)].map(([, id]) => id)).toEqual(ids)
    }

    const first = (await merchant.get('/applications?limit=3')).body
    expect(rowsOf({ body: first } as Answer)).toHaveLength(3)
    const rest = await merchant.get(`/applications?limit=3&cursor=${first.nextCursor}`)
    expect([rowsOf(rest).map(({ id }) => id), rest.body.nextCursor]).toEqual([[ann.id], null])
    for (const query of ['status=banned', 'status=', 'programId=x', 'cursor=x', 'limit=0'])
      expect([query, (await merchant.get(`/applications?${query}`)).status]).toEqual([query, 400])
  })
})
