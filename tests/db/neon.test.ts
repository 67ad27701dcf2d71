/** How the Workers answer what Neon's proxy answers. */
import { createServer } from 'node:http'
import { expect, inject, test } from 'vitest'
import { listen } from '../../dev/runtime/ports.ts'
import { openClient } from '../../lib/db/neon.ts'
import { Unavailable } from '../../lib/platform/unavailable.ts'

/**
 * Asks an endpoint that always answers the same.
 * @returns the error, and how many requests it took
 */
const ask = async (status: number, body: object) => {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)))
  })
  const { url, stop } = await listen(server)
  const { DATABASE_URL } = inject('database')
  const error = await openClient({ DATABASE_URL, SQL_ENDPOINT: url })
    .query('select 1', [])
    .catch((thrown: Error) => thrown)
  await stop()
  return { error, requests }
}

test.each([
  {
    case: 'a wrong password',
    status: 400,
    message: "password authentication failed for user 'neondb_track'",
  },
  {
    case: 'a plan that is used up',
    status: 500,
    message:
      'Your account or project has exceeded the compute time quota. Upgrade your plan to increase limits.',
  },
])('$case is not repeated', async ({ status, message }) => {
  const { error, requests } = await ask(status, { message, code: '' })
  expect(requests).toBe(1)
  expect(error).toBeInstanceOf(Unavailable)
  expect(error).toMatchObject({ message: 'The database refused the connection.' })
})

test.each([
  { case: 'a lost connection', status: 400, message: 'connection closed' },
  {
    case: 'too many connections',
    status: 500,
    message: 'Failed to acquire permit to connect to the database.',
  },
])('$case is repeated', async ({ status, message }) => {
  const { error, requests } = await ask(status, { message, code: '' })
  expect(requests).toBe(3)
  expect(error).toMatchObject({ message: 'The database did not answer.' })
})

test('an error of a statement is neither repeated nor an outage', async () => {
  const { error, requests } = await ask(400, { message: 'division by zero', code: '22012' })
  expect(requests).toBe(1)
  expect(error).toMatchObject({ code: '22012' })
})
