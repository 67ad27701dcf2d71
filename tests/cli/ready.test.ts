// @module-tag thorough
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, inject, test } from 'vitest'
import { mailLink, waitUntilReady } from '../../cli/ready.ts'
import { newestLink, press, somebody } from '../support/people.ts'
import { startOwnWorkers } from '../support/workers.ts'

const NO_PATIENCE = { patienceMs: 0 }

/** A server that gives these answers one after another. */
const answering = async (answers: { status: number; body: string }[]) => {
  const server = createServer((_request, response) => {
    const { status, body } = answers.shift() ?? { status: 500, body: '' }
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

test('an installation in which people can sign in is ready, and says how far its database is', async () => {
  const ms = await waitUntilReady(inject('baseUrl'))
  expect(ms).toBeGreaterThanOrEqual(0)
  expect(ms).toBeLessThan(10_000)
})

test('one without a transport for mail is not', async () => {
  const workers = await startOwnWorkers(['auth', 'mailer'])
  try {
    await expect(waitUntilReady(workers.url.origin, NO_PATIENCE)).rejects.toThrow(
      '503 No mail can be sent',
    )
  } finally {
    await workers.stop()
  }
})

test('one with a secret that is too short is not', async () => {
  const workers = await startOwnWorkers(['auth', 'mailer'], {
    AUTH_SECRET: 'short',
    RESEND_API_KEY: 're_1',
  })
  try {
    await expect(waitUntilReady(workers.url.origin, NO_PATIENCE)).rejects.toThrow(
      'is not ready: 500',
    )
  } finally {
    await workers.stop()
  }
})

test('one without a database is not', async () => {
  const SQL_ENDPOINT = 'http://127.0.0.1:1/sql'
  const workers = await startOwnWorkers(['auth', 'mailer'], {
    SQL_ENDPOINT,
    RESEND_API_KEY: 're_1',
  })
  try {
    await expect(waitUntilReady(workers.url.origin, NO_PATIENCE)).rejects.toThrow(
      'is not ready: 503',
    )
  } finally {
    await workers.stop()
  }
})

test.each([
  {
    case: 'another site',
    status: 200,
    body: '<h1>Parked</h1>',
    says: 'something that is not Tributary',
  },
  {
    case: 'a page of Cloudflare',
    status: 530,
    body: 'error code: 1016',
    says: 'is not ready: 530',
  },
])('$case is not Tributary', async ({ status, body, says }) => {
  const server = await answering([{ status, body }])
  await expect(waitUntilReady(server.url, NO_PATIENCE)).rejects.toThrow(says)
  server.stop()
})

test('a host that does not answer yet is asked again', async () => {
  const answers = [
    { status: 530, body: 'error code: 1016' },
    { status: 200, body: '{"databaseMs":4}' },
  ]
  const server = await answering(answers)
  expect(await waitUntilReady(server.url, { pauseMs: 1 })).toBe(4)
  server.stop()
})

test('a host that cannot be reached is reported with the reason', async () => {
  await expect(waitUntilReady('http://127.0.0.1:1', NO_PATIENCE)).rejects.toThrow('is not ready: ')
})

test('a sign-in link is mailed, and signs in', async () => {
  const email = somebody()
  await mailLink(inject('baseUrl'), email)
  const answer = await press(await newestLink(email))
  expect({ status: answer.status, to: answer.headers.get('Location') }).toEqual({
    status: 303,
    to: '/app',
  })
})

test('a mail that could not be sent is reported with the reason', async () => {
  const body = '{"error":{"message":"Retry later."}}'
  const server = await answering([{ status: 503, body }])
  await expect(mailLink(server.url, 'ada@acme.com')).rejects.toThrow(
    'mailed to ada@acme.com: 503 Retry later.',
  )
  server.stop()
})
