// Which parts of the guide a request asks for, and the body with these alone.
import { familyOf, materialNames } from '../../../manifests/reader/catalog';
import type { Manifest } from '../../../manifests/reader/manifest';
import { featureError } from '../../language/errors/feature-error';
import { queryError } from '../../language/errors/query-error';
import { nearest } from '../../language/names/nearest';
import { type Contract, isEnabled } from '../../language/types/contract';
import { type AskedParts, GUIDE_PARTS, type GuidePart } from './guide';

const FEATURE = 'guide_parts';
const PARTS = Object.keys(GUIDE_PARTS);
const isPart = (name: string): name is GuidePart => PARTS.includes(name);

interface Asked {
  /** Names with commas between; undefined = all parts. */
  readonly parts: string | undefined;
  readonly material: string | undefined;
}

/**
 * Reads the parameters `parts` and `material`; undefined for the whole guide. A material asks for the part `materials` too.
 * Throws the QueryErrors E_INVALID_PARAMETER, E_UNKNOWN_MATERIAL, and that of a contract without parts.
 */
export function askedParts(
  { parts, material }: Asked,
  contract: Contract,
  manifest: Manifest,
): AskedParts | undefined {
  if (parts === undefined && material === undefined) return undefined;
  if (!isEnabled(contract, FEATURE))
    throw featureError(contract, FEATURE, parts === undefined ? 'material' : 'parts');
  const named = (parts === undefined ? [] : listed(parts)).map(knownPart);
  const materials = material === undefined ? undefined : listed(material);
  return {
    parts: new Set(materials === undefined ? named : [...named, 'materials']),
    materials: materials && describedMaterials(materials, contract, manifest),
  };
}

const listed = (text: string): readonly string[] => text.split(',').map((name) => name.trim());

function knownPart(name: string): GuidePart {
  if (isPart(name)) return name;
  throw queryError('E_INVALID_PARAMETER parts', 'parts', {
    received: name,
    available: PARTS,
    nearest: nearest(name, PARTS),
  });
}

/** The names under which the guide describes materials. */
function describedMaterials(
  names: readonly string[],
  contract: Contract,
  manifest: Manifest,
): ReadonlySet<string> {
  const available = materialNames(manifest, contract.rules);
  return new Set([...new Set(names)].map((name) => describedAs(name, available, contract, manifest)));
}

/** One goal or event is listed under its family. */
function describedAs(
  name: string,
  available: readonly string[],
  { rules }: Contract,
  manifest: Manifest,
): string {
  if (available.includes(name)) return name;
  const per = /^goal_\d+$/.test(name) ? 'goal' : name.startsWith('events.') ? 'event' : undefined;
  const family = per && familyOf(manifest, rules, per);
  if (family !== undefined) return family.name;
  throw queryError('E_UNKNOWN_MATERIAL unknown', 'material', {
    received: name,
    available,
    nearest: nearest(name, available),
  });
}

/** Keys of the guide that come with any part. */
const ALWAYS: readonly string[] = ['version', 'api_update', 'timestamp', 'plugin_version'];

/** The body of a guide with only the keys of these parts. */
export function pickParts(body: object, { parts }: AskedParts): object {
  const keys: readonly string[] = [...ALWAYS, ...[...parts].flatMap((part) => GUIDE_PARTS[part])];
  return Object.fromEntries(Object.entries(body).filter(([key]) => keys.includes(key)));
}
