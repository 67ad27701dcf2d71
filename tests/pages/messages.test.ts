// @module-tag thorough
/** Notes about a partner, and emails to many, in a browser without JavaScript. */
import { readFile } from 'node:fs/promises'
import { describe, expect, inject, test } from 'vitest'
import { unsubscribeToken } from '../../lib/mail/mailings/unsubscribe.ts'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const browser = useBrowser()
const database = useDatabase()

/** A merchant with three partners: one is banned, and one has a long name and address. */
const createShop = async () => {
  const merchant = await createMerchant()
  const { seed, workspace, programId, partnerId } = merchant
  await seed.addPartner(workspace.id, programId, {
    slug: 'zoe',
    name: 'Zoe Banned',
    status: 'banned',
  })
  await seed.addPartner(workspace.id, programId, {
    slug: 'long',
    name: `Long ${'name'.repeat(30)}`,
    email: `${'long.'.repeat(12)}address@partner.example`,
  })
  const [row] = await database.query<{ key: string }>('select key from unsubscribe_key')
  return {
    base: `/app/${workspace.slug}`,
    partnerId,
    cookie: await merchant.manager(),
    link: `/unsubscribe/${await unsubscribeToken(row?.key ?? '', partnerId)}`,
  }
}

describe.each(WALKS)('at $width pixels, in $scheme colours, without JavaScript', (screen) => {
  const still = { ...screen, javaScriptEnabled: false }

  test('a manager writes a note about a partner, and deletes it', async () => {
    const { base, partnerId, cookie } = await createShop()
    const page = await browser.as(cookie, still)
    await page.goto(`${base}/partners/${partnerId}`)
    await page.getByLabel('New note').fill(`Met at the fair.\n${'verylong'.repeat(40)}`)
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByText('Note added.').waitFor()
    await page.goto(`${base}/partners/${partnerId}/notes`)
    await page.getByRole('link', { name: /^Delete/ }).click()
    await page.getByRole('button', { name: 'Delete note' }).click()
    await page.getByText('No notes yet.').waitFor()
    await page.context().close()
  })

  test('a manager downloads the chosen partners, and emails them', async () => {
    const { base, cookie } = await createShop()
    const page = await browser.as(cookie, still)
    await page.goto(`${base}/partners`)
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('partners.csv')
    expect((await readFile(await file.path(), 'utf8')).trim().split('\r\n')).toHaveLength(4)

    await page.getByRole('button', { name: 'Write an email' }).click()
    await page.getByLabel('Text').fill('Hello {name},')
    await page.getByRole('button', { name: 'Preview email' }).click()
    await page.getByText('There is no placeholder {name}.').first().waitFor()
    await page.getByLabel('Text').fill('Hello {partnerName},\n\nnews.')
    await page.getByRole('button', { name: 'Preview email' }).click()
    await page.getByRole('heading', { name: '1 partner will not get it' }).waitFor()
    await page.getByRole('button', { name: 'Send to 2 partners' }).click()
    await page.getByText('Emails queued.').waitFor()
    expect(await page.getByRole('cell', { name: 'Message to partners' }).count()).toBe(2)
    await page.context().close()
  })

  test('somebody who has not signed in unsubscribes by the link, and subscribes again', async () => {
    const { link } = await createShop()
    const page = await browser.as('', still)
    await page.goto(link)
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('button', { name: 'Subscribe again' }).click()
    await page.getByRole('heading', { name: 'You have subscribed again' }).waitFor()
    await page.context().close()
  })
})

test('no page of notes and messages has axe violations or horizontal overflow', async () => {
  const { base, partnerId, cookie, link } = await createShop()
  const page = await browser.as(cookie)
  await page.goto(`${base}/partners/${partnerId}`)
  await page.getByLabel('New note').fill(`Met at the fair.\n${'verylong'.repeat(40)}`)
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByText('Note added.').waitFor()
  await inspect(page, 'partner-note')
  await page.goto(`${base}/partners/${partnerId}/notes`)
  await inspect(page, 'notes')
  await page.getByRole('link', { name: /^Delete/ }).click()
  await inspect(page, 'note-delete')

  await page.goto(`${base}/partners`)
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await page.getByRole('button', { name: 'Write an email' }).click()
  await page.getByRole('heading', { name: 'Email to 3 partners' }).waitFor()
  await inspect(page, 'message')
  await page.getByLabel('Text').fill(`Hello {partnerName},\n\n${'verylong'.repeat(40)}`)
  await page.getByRole('button', { name: 'Preview email' }).click()
  await page.getByRole('button', { name: 'Send to 2 partners' }).waitFor()
  await inspect(page, 'message-preview')

  await page.goto(inject('baseUrl') + link)
  await inspect(page, 'unsubscribe')
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await page.getByRole('heading', { name: 'You have unsubscribed' }).waitFor()
  await inspect(page, 'unsubscribed')
  await page.context().close()
})
