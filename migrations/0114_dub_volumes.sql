-- How loud the voices of a dub and its item's own sound are in the mix (`domain::dub::Volumes`): the dub's timeline has the same, and the
-- next render changes those that nobody has changed. NULL where a release without them spoke the dub: its timeline has both at 1.
ALTER TABLE dub_outputs ADD COLUMN volumes json;
-- A timeline whose voiceover is a dub's knows by it where somebody speaks.
CREATE INDEX dub_outputs_voice ON dub_outputs (voice_item_id);
