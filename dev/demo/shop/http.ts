/** What the shop's handlers share: reading forms, serving files, knowing who is there. */
import { readFile } from 'node:fs/promises'
import type { Context } from 'hono'
import type { SecureHeadersVariables } from 'hono/secure-headers'
import { findPlan } from './plans.ts'
import type { Fields } from './sign-up.ts'
import type { Customer } from './store.ts'

/** Who asks: a customer who is signed in, or anybody. */
export type Visit = { Variables: SecureHeadersVariables & { customer: Customer | undefined } }

/** The text fields of a submitted form: nothing here takes a file. */
export const readFields = async (c: Context): Promise<Fields> => {
  const form = await c.req.parseBody()
  const fields: Fields = {}
  for (const [name, value] of Object.entries(form)) if (typeof value === 'string') fields[name] = value
  return fields
}

/** Serves a file of this folder. */
export const file = (name: string, type: string) => async (c: Context) =>
  c.body(await readFile(new URL(name, import.meta.url), 'utf8'), 200, { 'Content-Type': type })

/** A handler for signed-in customers; others are sent to sign up first, and keep the plan that they chose. */
export const forCustomer = (
  handle: (c: Context<Visit>, customer: Customer) => Response | Promise<Response>,
) =>
  async function forCustomer(c: Context<Visit>): Promise<Response> {
    const { customer } = c.var
    if (customer) return handle(c, customer)
    const plan = findPlan(c.req.query('plan'))
    return c.redirect(plan ? `/sign-up?plan=${plan.id}` : '/sign-up', 303)
  }
