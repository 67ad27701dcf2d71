import { actOf, freshMember, reader } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { BRAND_CHANGED } from '../../../lib/brand/brand.ts'
import { readBrand, saveBrand } from '../../../lib/brand/brands.queries.ts'
import type { BrandResponse } from '../../../lib/brand/brands.responses.ts'
import { BrandChange } from '../../../lib/brand/brands.schemas.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { body } from '../../../lib/http/validate.ts'
import { findProgram } from '../../../lib/programs/programs.queries.ts'

const PATH = '/api/workspaces/:workspace/programs/:id/brand'

/** /programs/:id/brand: the logo, the accent color and the support address of a program. */
export default createRoutes()
  .get(PATH, reader(), async (c) => {
    const { db, workspace } = c.var
    const program = await readById(c, 'program', findProgram)
    const brand: BrandResponse = await readBrand(db, workspace.id, program.id)
    return c.json(brand)
  })
  .put(PATH, freshMember(), body(BrandChange), async (c) => {
    const { db } = c.var
    const program = await readById(c, 'program', findProgram)
    const brand: BrandResponse | null = await saveBrand(
      db,
      actOf(c),
      program.id,
      c.req.valid('json'),
    )
    if (!brand) throw new ApiError('conflict', BRAND_CHANGED)
    return c.json(brand)
  })
