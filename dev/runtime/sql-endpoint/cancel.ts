import { connect } from 'node:net'
import type pg from 'pg'

/** What Postgres' protocol calls a CancelRequest. */
const CANCEL_REQUEST = 80_877_102

/** What pg keeps of the server's BackendKeyData, and does not declare. */
type WithKey = { processID: number; secretKey: number }

/**
 * Has Postgres cancel what a connection runs. It may come too late, so the connection must run
 * nothing else if it did.
 */
export const cancelStatement = (
  client: pg.PoolClient,
  address: { host: string; port: number },
): void => {
  const { processID, secretKey } = client as unknown as WithKey
  const message = Buffer.alloc(16)
  message.writeInt32BE(message.length, 0)
  message.writeInt32BE(CANCEL_REQUEST, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  connect(address)
    .on('error', () => {})
    .end(message)
}
