/**
 * The tables of schema.sql, for Kysely, by room. tests/db/tables.test.ts compares them with the
 * database.
 */
import type { ApplicationTables } from '../applications/tables.ts'
import type { BrandTables } from '../brand/tables.ts'
import type { CustomerTables } from '../customers/tables.ts'
import type { ImportTables } from '../imports/tables.ts'
import type { MailTables } from '../mail/tables.ts'
import type { PaperTables } from '../papers/tables.ts'
import type { PayoutTables } from '../payouts/tables.ts'
import type { StripeTables } from '../purchases/stripe/tables.ts'
import type { PurchaseTables } from '../purchases/tables.ts'
import type { ShadowTables } from '../shadow/tables.ts'
import type { WorkspaceTables } from '../tenancy/workspaces/tables.ts'
import type { TotalTables } from '../totals/tables.ts'
import type { TrackingTables } from '../tracking/tables.ts'
import type { WebhookTables } from '../webhooks/tables.ts'

export type Tables = WorkspaceTables &
  ApplicationTables &
  BrandTables &
  TrackingTables &
  CustomerTables &
  ImportTables &
  PurchaseTables &
  StripeTables &
  PayoutTables &
  PaperTables &
  MailTables &
  ShadowTables &
  TotalTables &
  WebhookTables
