import { expect, inject, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { signIn } from '../support/people.ts'

const database = useDatabase()

const open = async (cookie?: string, path = '/portal') => {
  const response = await fetch(`${inject('baseUrl')}${path}`, {
    headers: cookie ? { Cookie: cookie } : {},
    redirect: 'manual',
  })
  return { status: response.status, location: response.headers.get('Location'), text: await response.text() }
}

test('a partner sees its link and its coupons in every program of its address, and nobody else’s', async () => {
  const [one, two] = await Promise.all([createMerchant(), createMerchant()])
  const email = `ann@${one.workspace.slug}.example`
  const partner = { slug: 'ann & co', email }
  const id = await one.seed.addPartner(one.workspace.id, one.programId, partner)
  await two.seed.addPartner(two.workspace.id, two.programId, { ...partner, status: 'banned' })
  await database.query(
    `insert into coupon_aliases (id, workspace_id, partner_id, coupon_id, label) values
       (gen_random_uuid(), $1, $2, 'promo_1', 'ANN20'), (gen_random_uuid(), $1, $2, 'ANN30', null)`,
    [one.workspace.id, id],
  )

  const { status, text } = await open(await signIn(email))
  expect(status).toBe(200)
  expect(text.match(/https:\/\/shop\.example\/\?via=ann\+%26\+co/g)).toHaveLength(4)
  expect(text).toContain('<code>ANN20</code>')
  expect(text).toContain('<code>ANN30</code>')
  expect(text.match(/no longer counts/g)).toHaveLength(1)
  expect(text).not.toContain('maya')
})

test('somebody who is no partner is told so', async () => {
  const email = `nobody@${crypto.randomUUID()}.example`
  expect((await open(await signIn(email))).text).toContain(`No program knows ${email}`)
})

test('who is not signed in is sent to sign in, and back', async () => {
  expect(await open()).toMatchObject({ status: 303, location: '/sign-in?next=%2Fportal' })
})

test('a page that isn’t there is a page too', async () => {
  const { status, text } = await open(undefined, '/portal/nothing')
  expect(status).toBe(404)
  expect(text).toContain('<title>Error: Not found · ')
})
