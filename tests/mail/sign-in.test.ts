import { expect, test } from 'vitest'
import { sendSignInLink } from '../../lib/mail/outbox/sign-in.service.ts'
import type { Mail, Outcome } from '../../lib/mail/transport/transport.ts'

const LINK = {
  to: 'ann@pine.example',
  url: 'https://track.example/auth/confirm?token=secret',
  expiresInMinutes: 10,
}
const SENT: Outcome = { kind: 'sent', waitSeconds: 0 }
const LATER: Outcome = { kind: 'retry', code: 'timeout', message: 'to ann@pine.example' }
const LIMITED: Outcome = { kind: 'paused', code: 'rate_limit_exceeded', message: '', seconds: 1 }
const EXHAUSTED: Outcome = {
  kind: 'paused',
  code: 'daily_quota_exceeded',
  message: '',
  seconds: 3_600,
}
const REFUSED: Outcome = { kind: 'refused', code: 'validation_error', message: 'ann@pine.example' }

/** A transport with these outcomes, and what it was given. */
const transport = (...outcomes: Outcome[]) => {
  const given: Mail[] = []
  const send = async (mail: Mail): Promise<Outcome> => {
    given.push(mail)
    return outcomes[given.length - 1] ?? SENT
  }
  return { given, send }
}

test.each([
  { case: 'at the first attempt', outcomes: [SENT], tries: 1 },
  { case: 'at the second, after an unclear outcome', outcomes: [LATER, SENT], tries: 2 },
  { case: 'at the second, after a rate limit', outcomes: [LIMITED, SENT], tries: 2 },
])('a sign-in link is sent $case, with one idempotency key', async ({ outcomes, tries }) => {
  const { given, send } = transport(...outcomes)
  expect(await sendSignInLink(send, LINK)).toBe('sent')
  expect(given).toHaveLength(tries)
  expect(new Set(given.map(({ id }) => id)).size).toBe(1)
  expect(given[0]).toMatchObject({ to: LINK.to, text: expect.stringContaining(LINK.url) })
})

test('a sign-in link throws when both attempts failed, without the address or the link in the message', async () => {
  const { given, send } = transport(LATER, LATER)
  const error = await sendSignInLink(send, LINK).catch((thrown: unknown) => thrown)
  expect(error).toEqual(new Error('The sign-in mail was not sent: timeout.'))
  expect(given).toHaveLength(2)
})

test('a sign-in link to an address that the transport refuses is not tried again', async () => {
  const { given, send } = transport(REFUSED)
  expect(await sendSignInLink(send, LINK)).toBe('refused')
  expect(given).toHaveLength(1)
})

test('a sign-in link for which there is no quota is not tried again, and what was learnt is passed on', async () => {
  const { given, send } = transport(EXHAUSTED)
  const learnt: object[] = []
  expect(await sendSignInLink(send, LINK, (note) => learnt.push(note))).toBe('exhausted')
  expect(given).toHaveLength(1)
  expect(learnt).toEqual([{ sent: 0, used: null, exhaustedUntil: expect.any(Date) }])
})

test('a sign-in link is never sent to two addresses', async () => {
  const { given, send } = transport()
  expect(await sendSignInLink(send, { ...LINK, to: 'ann@pine.example,eve@evil.example' })).toBe(
    'refused',
  )
  expect(given).toEqual([])
})
