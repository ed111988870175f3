// What the fixture's tools, resources and prompts are made of.

import { setTimeout } from "node:timers/promises";

/** One red pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";

/** Eight samples of silence, 8 kHz, 8 bits. */
export const WAV = (() => {
  const samples = Buffer.alloc(8, 0x80);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]).toString("base64");
})();

export const text = (said) => ({ type: "text", text: said });
export const image = () => ({ type: "image", data: PNG, mimeType: "image/png" });
export const audio = () => ({ type: "audio", data: WAV, mimeType: "audio/wav" });
export const embedded = (uri, mimeType, said) => ({ type: "resource", resource: { uri, mimeType, text: said } });

export const moment = () => setTimeout(50);
