// @module-tag thorough
/**
 * How somebody becomes a partner, in a browser: the page, the application, its approval, the terms.
 */
import { expect, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'
import { openSession } from '../support/people.ts'

const browser = useBrowser()

test('a manager opens the page, a person applies, a manager approves, and the partner accepts new terms', async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { workspace, programId } = merchant
  const manager = await browser.as(await merchant.manager(), { width: 1280, scheme: 'light' })
  const settings = `/app/${workspace.slug}/programs/${programId}/applications`
  await manager.goto(settings)
  await manager.getByLabel('Open', { exact: true }).check()
  await manager
    .getByLabel('Introduction')
    .fill(`We make ${'very '.repeat(30)}good notebooks.\nWrite about them.`)
  await manager.getByLabel('Question 1').fill('How many people read you?')
  await manager.getByLabel('Terms').fill('No spam.\n'.repeat(80))
  await manager.getByRole('button', { name: 'Save page' }).click()
  await manager.getByRole('status').waitFor()
  await inspect(manager, 'join-settings')

  const email = `nina@${workspace.slug}.example`
  const applicant = await browser.as(await openSession(email), {
    width: 390,
    scheme: 'light',
  })
  await applicant.goto(`/join/${programId}`)
  await inspect(applicant, 'join')
  await applicant.getByRole('link', { name: 'Apply' }).click()
  await applicant.getByLabel('Your name').fill('Nina Castillo')
  await applicant.getByLabel('How will you promote us?').fill('In my newsletter.')
  await applicant.getByLabel('How many people read you?').fill('12,000')
  await inspect(applicant, 'apply')
  await applicant.getByRole('button', { name: 'Send application' }).click()
  await applicant.getByRole('alert').getByText('Accept the terms to apply.').waitFor()
  await inspect(applicant, 'apply-refused')
  await applicant.getByLabel('I accept these terms').check()
  await applicant.getByRole('button', { name: 'Send application' }).click()
  await applicant.getByText('Your application has been sent.').waitFor()

  await manager.goto(`/app/${workspace.slug}`)
  await manager.getByRole('link', { name: /1 application waits/ }).click()
  await inspect(manager, 'applications')
  await manager.getByRole('link', { name: 'Nina Castillo' }).click()
  await inspect(manager, 'application')
  await manager.getByLabel('Group').selectOption('Gold')
  await manager.getByRole('button', { name: 'Approve' }).click()
  await manager.getByRole('status').waitFor()
  await manager.goto(`/app/${workspace.slug}/applications/invite`)
  await manager.getByLabel('Email addresses').fill(`${email}\nbob@${workspace.slug}.example`)
  await manager.getByRole('button', { name: 'Send invitations' }).click()
  await manager.getByText('1 person invited. 1 person is a partner already.').waitFor()
  await inspect(manager, 'invite')

  await manager.goto(settings)
  await manager.getByLabel('Terms').fill('New terms.')
  await manager.getByRole('button', { name: 'Save page' }).click()
  await manager.getByRole('status').waitFor()
  await applicant.goto('/portal')
  await applicant.getByRole('link', { name: 'read and accept' }).click()
  await inspect(applicant, 'terms')
  await applicant.getByRole('button', { name: 'Accept' }).click()
  await applicant.getByText('Terms accepted.').waitFor()
  expect(await applicant.getByRole('link', { name: 'read and accept' }).count()).toBe(0)
  await Promise.all([manager.context().close(), applicant.context().close()])
})
