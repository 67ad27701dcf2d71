/** Asks before `npm start` uses a database of another machine. */
import { createInterface } from 'node:readline/promises'
import { parseDatabaseUrl } from '../cli/database.ts'

const LOCAL_HOSTS = ['127.0.0.1', 'localhost', '[::1]']

/** Asks in the terminal. Without one, nobody can answer. */
const ask = async (question: string): Promise<string> => {
  if (!process.stdin.isTTY) return ''
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/**
 * Resolves if the database is on this machine, or if somebody confirms its host: in the terminal,
 * or by `REMOTE_DATABASE=<host>`. Otherwise the crons would take the mails and payouts that wait in
 * a database of production.
 *
 * @throws an Error that says how to confirm
 */
export const confirmRemoteDatabase = async (databaseUrl: string): Promise<void> => {
  const { hostname } = parseDatabaseUrl(databaseUrl)
  if (LOCAL_HOSTS.includes(hostname) || process.env.REMOTE_DATABASE === hostname) return
  console.log(
    `DATABASE_URL is on another machine, ${hostname}. Mails that wait there would go to the dev inbox instead of people, and payouts to the Stripe fake.`,
  )
  if ((await ask(`To use it anyway, type ${hostname}: `)).trim() === hostname) return
  throw new Error(`Set REMOTE_DATABASE=${hostname} to use this database, or unset DATABASE_URL.`)
}
