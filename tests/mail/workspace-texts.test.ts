/** Mails about a workspace itself, and about a member's own address. */
import { describe, expect, test } from 'vitest'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'

const URL = 'https://tributary.example/app/pine'

describe('a notice to managers', () => {
  const about = {
    workspaceName: 'Pine <Notes>',
    person: 'ada@pine.example',
    day: '2026-12-24',
    url: URL,
  }
  const notice = { ...about, what: '500000' }

  test.each([
    {
      kind: 'manager_recovered',
      subject: 'A manager was added to Pine <Notes>',
      says: 'made ada@pine.example a manager',
    },
    {
      kind: 'manager_added',
      subject: 'A manager was added to Pine <Notes>',
      says: 'New managers can approve payout runs that are begun 72 hours later.',
    },
    {
      kind: 'manager_removed',
      subject: 'A manager was removed from Pine <Notes>',
      says: 'ask the operator of this installation',
    },
    {
      kind: 'limit_requested',
      subject: 'A higher approval limit was requested for Pine <Notes>',
      says: 'New limit: 5000.00.',
    },
    {
      kind: 'limit_approved',
      subject: 'The approval limit of Pine <Notes> was raised',
      says: 'New limit: 5000.00.',
    },
    {
      kind: 'limit_declined',
      subject: 'A higher approval limit was declined for Pine <Notes>',
      says: 'Requested limit: 5000.00.',
    },
    {
      kind: 'finance_added',
      subject: 'Pine <Notes>: another person can pay',
      says: 'the role finance in Pine <Notes>',
    },
    {
      kind: 'finance_removed',
      subject: 'Pine <Notes>: a person can no longer pay',
      says: 'ada@pine.example took the role finance',
    },
    {
      kind: 'run_approved_first',
      subject: 'A payout run of Pine <Notes> has the first of two approvals',
      says: 'another person has to approve it, too',
    },
    {
      kind: 'run_approved',
      subject: 'A payout run of Pine <Notes> was approved',
      says: 'ada@pine.example approved a payout run',
    },
    {
      kind: 'deletion_scheduled',
      subject: 'Pine <Notes> is to be deleted on 2026-12-24',
      says: 'any manager can cancel',
    },
    {
      kind: 'deletion_canceled',
      subject: 'Pine <Notes> is not deleted',
      says: 'ada@pine.example canceled the deletion',
    },
    {
      kind: 'deletion_called_off',
      subject: 'Pine <Notes> was not deleted',
      says: 'partners have earned something since',
    },
    {
      kind: 'budget_used',
      subject: 'Pine <Notes>: the budget of 2026-12-24 is used up',
      says: 'exceeds the monthly budget of the program',
    },
  ])('says what happened: $kind', ({ kind, subject, says }) => {
    const mail = outboxContent({ kind: 'workspace_notice', details: { ...notice, notice: kind } })
    expect(mail.subject).toBe(subject)
    expect(mail.text).toContain(says)
    expect(mail.text).toContain(URL)
    expect(mail.html).toContain('Pine &lt;Notes&gt;')
  })

  test('says that a limit is removed', () => {
    const details = { ...notice, notice: 'limit_approved', what: null }
    expect(outboxContent({ kind: 'workspace_notice', details }).text).toContain(
      'New limit: no limit.',
    )
  })

  test('has no link where no address of the installation is known, and is refused if it is unknown', () => {
    const details = { ...notice, notice: 'manager_recovered', url: null }
    expect(outboxContent({ kind: 'workspace_notice', details }).html).not.toContain('href')
    expect(() =>
      outboxContent({ kind: 'workspace_notice', details: { ...notice, notice: 'x' } }),
    ).toThrow('unknown notice')
  })
})

test.each([
  { isNew: true, button: 'Confirm address', says: 'ignore this email' },
  { isNew: false, button: 'Review change', says: 'cancel the change by the link' },
])('the link of a change of address, to the new one: $isNew', ({ isNew, button, says }) => {
  const details = {
    from: 'ada@pine.example',
    to: 'ada@new.example',
    isNew,
    url: `${URL}/address/confirm?token=x`,
  }
  const { text, html } = outboxContent({ kind: 'member_address', details })
  expect(html).toContain(button)
  for (const part of ['ada@pine.example', 'ada@new.example', says, details.url])
    expect(text).toContain(part)
})
