/** Requests about API keys, for the API and the pages' forms. */
import * as z from 'zod'
import { name } from '../http/fields.ts'

/** POST /api/workspaces/:workspace/api-keys. */
export const NewApiKey = z.strictObject({ name: name('What the key is used for.') }).meta({ id: 'NewApiKey' })
