/** Postgres: Kysely over Neon's HTTP driver. */
import { type CompiledQuery, Kysely } from 'kysely'
import { NeonDialect } from 'kysely-neon'
import {
  bigintParser,
  type Client,
  clientOf,
  type DatabaseEnv,
  type Limits,
  openDriver,
} from './neon.ts'
import type { Tables } from './tables.ts'

/** The rows of each compiled query. */
type Rows<Queries extends readonly CompiledQuery[]> = {
  [K in keyof Queries]: Queries[K] extends CompiledQuery<infer Row> ? Row[] : never
}

/** The typed query builder, with `batch`: runs compiled queries as a Read Committed transaction. */
export type Db = Kysely<Tables> &
  Client & {
    batch: <const Queries extends readonly CompiledQuery[]>(
      queries: Queries,
    ) => Promise<Rows<Queries>>
  }

/**
 * Connects one request to the database. Nothing is opened before the first query.
 *
 * @throws {Unavailable} from each query, after three attempts or the limit of the request, by
 *   default nine seconds
 */
export const connect = (env: DatabaseEnv, limits?: Limits): Db => {
  const opened = openDriver(env, limits)
  const { driver, retry } = opened
  const kysely = new Kysely<Tables>({
    dialect: new NeonDialect({
      neon: () => ({
        query: (text, params, options) =>
          retry((limits) =>
            driver.query(text, params, { ...options, ...limits, types: bigintParser }),
          ),
      }),
    }),
  })

  return Object.assign(kysely, clientOf(opened), {
    batch: <const Queries extends readonly CompiledQuery[]>(queries: Queries) =>
      retry(async (limits) => {
        const statements = queries.map(({ sql, parameters }) =>
          driver.query(sql, [...parameters], { types: bigintParser }),
        )
        const results = await driver.transaction(statements, {
          isolationLevel: 'ReadCommitted',
          ...limits,
        })
        return results.map((result) => result.rows) as Rows<Queries>
      }),
  })
}
