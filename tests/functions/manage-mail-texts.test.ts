import { expect, test } from 'vitest'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

type Text = { default: object; placeholders: string[] }

/** All texts of a workspace. */
const read = async (api: { get: (path: string) => Promise<{ body: object }> }) =>
  ((await api.get('/mail-texts')).body as { data: Text[] }).data

const start = async () => {
  const merchant = await createMerchant()
  return { merchant, api: merchant.as(await merchant.manager()) }
}

const TEXT = {
  subject: 'Welcome, {partnerName}',
  intro: 'Hi {partnerName},\nnice to have you.',
  version: 0,
}

test('a text is the default until it is changed, and again after it was reset', async () => {
  const { merchant, api } = await start()
  const data = await read(api)
  expect(data).toHaveLength(10)
  expect(data[0]).toMatchObject({ kind: 'welcome', subject: null, intro: null, version: 0 })
  expect(data[0]?.placeholders).toEqual(['partnerName', 'programName', 'workspaceName'])

  const changed = await api.put('/mail-texts/welcome', TEXT)
  expect(changed).toMatchObject({ status: 200, body: { ...TEXT, kind: 'welcome', version: 1 } })
  expect((await read(api))[0]).toEqual(changed.body)

  const reset = await api.put('/mail-texts/welcome', { subject: null, intro: null, version: 1 })
  expect(reset.body).toMatchObject({ subject: null, intro: null, version: 2 })
  expect((await database.audit(merchant)).map(({ action }) => action)).toEqual([
    'mail_text.changed',
    'mail_text.changed',
  ])
})

test('what is the default is stored as such', async () => {
  const { api } = await start()
  const [welcome] = await read(api)
  const same = await api.put('/mail-texts/welcome', { ...welcome?.default, version: 0 })
  expect(same.body).toMatchObject({ subject: null, intro: null })
})

test('of two managers who change one text, the second is refused, also at the same time', async () => {
  const { merchant, api } = await start()
  expect((await api.put('/mail-texts/welcome', TEXT)).status).toBe(200)
  expect(await api.put('/mail-texts/welcome', TEXT)).toMatchObject({
    status: 409,
    body: errorShape('conflict'),
  })
  const answers = await Promise.all(
    ['one', 'two', 'three'].map((subject) => api.put('/mail-texts/moved', { ...TEXT, subject })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  expect(await database.audit(merchant)).toHaveLength(2)
})

test.each([
  {
    case: 'a placeholder that does not exist',
    change: { subject: 'Hi {partnrName}' },
    says: '{partnrName}',
  },
  { case: 'one of another mail', change: { intro: '{amount}' }, says: 'no placeholder {amount}' },
  { case: 'an open brace', change: { intro: 'Hi {partnerName' }, says: 'brace' },
  { case: 'a subject of two lines', change: { subject: 'a\nBcc: x' }, says: 'one line' },
  { case: 'a long subject', change: { subject: 'x'.repeat(151) }, says: 'at most 150' },
  { case: 'a long introduction', change: { intro: 'x'.repeat(2_001) }, says: 'at most 2,000' },
  { case: 'a blank introduction', change: { intro: ' \n ' }, says: 'Must not be blank' },
  { case: 'a bidirectional override', change: { intro: 'a\u202Eb' }, says: 'cannot be shown' },
  { case: 'a NUL', change: { intro: 'a\0b' }, says: 'NUL character' },
  { case: 'an unpaired surrogate', change: { intro: 'a\ud800b' }, says: 'unpaired surrogate' },
])('refuses $case in words', async ({ change, says }) => {
  const { merchant, api } = await start()
  const answer = await api.put('/mail-texts/welcome', { ...TEXT, ...change })
  expect(answer).toMatchObject({ status: 400, body: errorShape('invalid_body') })
  expect(JSON.stringify(answer.body)).toContain(says)
  expect(await database.audit(merchant)).toEqual([])
})

test.each(['sign_in', 'payout_account', 'new_browser', 'constructor', 'payout_report'])(
  'the text of %s cannot be changed',
  async (kind) => {
    const { api } = await start()
    expect((await api.put(`/mail-texts/${kind}`, TEXT)).status).toBe(404)
  },
)
