/**
 * A merchant's backend that receives webhooks, and verifies them with the public library of
 * Standard Webhooks.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { WEBHOOK_TYPES } from '../../lib/webhooks/types.ts'
import type { Merchant, useDatabase } from './merchant.ts'

type Received = {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
  body: string
  headers: IncomingMessage['headers']
}

/** Answers a request. By default with 204. */
type Answering = (response: ServerResponse, request: IncomingMessage) => void

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** Starts a receiver on this machine. */
export const startReceiver = async () => {
  const received: Received[] = []
  const unsigned: string[] = []
  const secrets: string[] = []
  let answering: Answering = (response) => response.writeHead(204).end()
  const server = createServer(async (request, response) => {
    const body = await read(request)
    const isSigned = secrets.some((secret) => {
      try {
        new Webhook(secret).verify(body, request.headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    })
    if (!isSigned) unsigned.push(body)
    received.push({
      ...JSON.parse(body),
      id: request.headers['webhook-id'],
      body,
      headers: request.headers,
    })
    answering(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    /** Bodies that no known secret had signed. */
    unsigned,
    /** Verifies with this secret too. */
    trust: (secret: string) => secrets.push(secret),
    answer: (how: Answering) => {
      answering = how
    },
    types: () => received.map(({ type }) => type),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Adds an endpoint at a receiver, or elsewhere. */
export const addEndpoint = async (
  merchant: Merchant,
  receiver: Pick<Receiver, 'url'> & Partial<Receiver>,
  fields: Record<string, unknown> = {},
) => {
  const manager = await merchant.asManager()
  const { status, body } = await manager.post('/webhook-endpoints', {
    url: receiver.url,
    types: WEBHOOK_TYPES,
    ...fields,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  receiver.trust?.(String(body.secret))
  return { id: String(body.id), secret: String(body.secret) }
}

/**
 * Adds a disabled endpoint, and a delivery to it that failed.
 * @param text is in what managers read of them
 */
export const addWebhook = (
  { query }: Pick<ReturnType<typeof useDatabase>, 'query'>,
  workspaceId: string,
  text = 'Ours',
) =>
  query(
    `with endpoint as (
       insert into webhook_endpoints (id, workspace_id, url, description, types, ciphertext, created_at, disabled_at, disabled_reason)
       values (uuidv7(), $1, 'https://shop.example/webhooks', $2, '{sale.created}', 'x', now(), now(), 'manager') returning id
     ), event as (
       insert into webhook_events (id, workspace_id, type, subject_id, created_at, payload)
       values (uuidv7(), $1, 'sale.created', $1, now(), jsonb_build_object('type', $2::text)) returning id
     )
     insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, created_at, next_attempt_at, failed_at, tries)
     select uuidv7(), $1, event.id, endpoint.id, now(), now(), now(), '[]' from event, endpoint`,
    [workspaceId, text],
  )
