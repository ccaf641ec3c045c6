#include "model/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "core/error.h"
#include "tests/support/temp_dir.h"

namespace attend::model {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

ModelOptions load(const std::string& yaml) {
  const test::TempDir folder;
  return config::load<ModelOptions>(folder.write("model.yaml", yaml));
}

RecurrentEncoderOptions load_recurrent_encoder(const std::string& yaml) {
  return std::get<RecurrentEncoderOptions>(load(yaml).encoder);
}

RecurrentDecoderOptions load_recurrent_decoder(const std::string& yaml) {
  return recurrent_decoder(load(yaml));
}

template <class Matcher>
void expect_refused(const std::string& yaml, const Matcher& message) {
  EXPECT_THAT([&] { static_cast<void>(load(yaml)); }, ThrowsMessage<ConfigError>(message)) << yaml;
}

TEST(ModelOptions, AreReadFromTheirSections) {
  const ModelOptions options = load(
      "embedding: 96\ntie: all\nencoder: {cell: gru, layers: 2}\n"
      "decoder: {wiring: conditional, readout: maxout}\nattention: {score: concat}\n"
      "dropout: {recurrent: 0.25}\n");
  EXPECT_EQ(options.embedding, 96);
  EXPECT_EQ(options.tie, Tie::all);
  EXPECT_EQ(std::get<RecurrentEncoderOptions>(options.encoder).layers, 2);
  EXPECT_EQ(recurrent_decoder(options).wiring, WiringKind::conditional);
  EXPECT_EQ(options.attention.score, nn::ScoreKind::concat);
  EXPECT_EQ(options.dropout.recurrent, 0.25);
}

TEST(ModelOptions, KeepReadingTricksForDecodersWithoutAttention) {
  const auto message = AllOf(HasSubstr("are for decoders without attention"),
                             HasSubstr("set decoder.wiring: none or leave them off"));
  expect_refused("encoder: {reverse_source: true}\ndecoder: {wiring: luong}", message);
  expect_refused("encoder: {repeat_source: 2}\ndecoder: {wiring: bahdanau}", message);
  EXPECT_TRUE(load_recurrent_encoder(
                  "encoder: {reverse_source: true, repeat_source: 2}\ndecoder: {wiring: none}")
                  .reverse_source);
}

TEST(ModelOptions, NameTheLinesOfKeysThatDisagree) {
  expect_refused("encoder:\n  reverse_source: true\ndecoder:\n  wiring: luong\n",
                 AllOf(HasSubstr("model.yaml:2:"), HasSubstr("encoder.reverse_source"),
                       HasSubstr("decoder.wiring"), HasSubstr("4")));
}

TEST(ModelOptions, CopyOnlyStatesThatFit) {
  const std::string encoder = "encoder: {cell: lstm, hidden: 6, layers: 2}\n";
  EXPECT_EQ(
      load_recurrent_decoder(encoder + "decoder: {cell: lstm, hidden: 12, layers: 2, bridge: copy}")
          .bridge,
      BridgeKind::copy);
  const auto message =
      AllOf(HasSubstr("decoder.hidden must be 12"), HasSubstr("choose bridge: last"));
  expect_refused(encoder + "decoder: {cell: lstm, hidden: 6, layers: 2, bridge: copy}", message);
  expect_refused(encoder + "decoder: {cell: gru, hidden: 12, layers: 2, bridge: copy}", message);
  expect_refused(encoder + "decoder: {cell: lstm, hidden: 12, layers: 1, bridge: copy}", message);
}

TEST(ModelOptions, LetHeadsOfSelfAttentionShareTheEncoderEvenly) {
  expect_refused("encoder: {self_attention_heads: 2}",
                 HasSubstr("no self-attention to have heads"));
  expect_refused("encoder: {hidden: 5, self_attention: additive, self_attention_heads: 4}",
                 HasSubstr("4 heads cannot share the 10 features"));
  EXPECT_EQ(load_recurrent_encoder(
                "encoder: {hidden: 6, self_attention: scaled_dot, self_attention_heads: 4}")
                .self_attention_heads,
            4);
}

TEST(ModelOptions, DoNotSayHowWordsAreLeftOutWhereNoneAre) {
  expect_refused("dropout: {word: {by: type}}", HasSubstr("give source or target a probability"));
  expect_refused("dropout: {word: {replacement: unk}}", HasSubstr("has no effect"));
  expect_refused("dropout: {embedding_by: type}", HasSubstr("give embedding a probability"));
  expect_refused(
      "encoder: {type: transformer}\ndecoder: {type: transformer}\n"
      "dropout: {embedding: 0.1, embedding_by: type}",
      HasSubstr("both of these add positions"));
  EXPECT_EQ(load("decoder: {type: transformer}\ndropout: {embedding: 0.1, embedding_by: type}")
                .dropout.embedding_by,
            MaskPer::type);
  EXPECT_EQ(load("dropout: {word: {source: 0.1, by: type}}").dropout.word.by, MaskPer::type);
}

TEST(ModelOptions, DoNotDropTheOnlyPositionOfHardAttention) {
  expect_refused("attention: {distribution: hard}\ndropout: {attention: 0.1}",
                 HasSubstr("set dropout.attention: 0"));
  EXPECT_EQ(load("attention: {distribution: hard}").attention.distribution,
            nn::DistributionKind::hard);
}

TEST(ModelOptions, RefuseADecoderThatWouldNeverSeeTheSource) {
  expect_refused("decoder: {wiring: none, bridge: zero}",
                 AllOf(HasSubstr("the decoder would never see the source"),
                       HasSubstr("choose bridge: last, mean or copy, or wiring: answer")));
  EXPECT_EQ(load_recurrent_decoder("decoder: {wiring: answer, bridge: zero}").bridge,
            BridgeKind::zero);
  EXPECT_EQ(load_recurrent_decoder("decoder: {wiring: luong, bridge: zero}").bridge,
            BridgeKind::zero);
}

TEST(ModelOptions, RefuseKeysOfAnotherFamily) {
  expect_refused("encoder: {layer_drop: 0.1}",
                 AllOf(HasSubstr("model.yaml:1:"),
                       HasSubstr("layer_drop is a setting of type transformer and would have no "
                                 "effect with type recurrent"),
                       HasSubstr("choose type: transformer")));
  expect_refused("decoder: {type: ssru, input_feeding: false}",
                 HasSubstr("would have no effect with type ssru"));
  expect_refused("decoder: {type: ssru, layer_attention: {score: dot}}",
                 HasSubstr("layer_attention is a setting of type transformer"));
  expect_refused("decoder: {type: gru, cell: gru}",
                 HasSubstr("cell is a setting of type recurrent and would have no effect with "
                           "type gru"));
  expect_refused("encoder: {max_positions: 9, type: transformer}",
                 HasSubstr("choose positions: learned"));
  // A key with its default value is accepted: the resolved config in a model folder has all keys.
  EXPECT_EQ(type_name(load("decoder: {type: transformer, wiring: luong, bridge: last}").decoder),
            "transformer");
}

// Regression: each of these keys was accepted and ignored.
TEST(ModelOptions, RefuseKeysThatTheWiringDoesNotRead) {
  expect_refused("decoder: {readout: maxout}",
                 HasSubstr("readout is a setting of wiring bahdanau or conditional and would have "
                           "no effect with wiring luong"));
  for (const char* wiring : {"answer", "bahdanau", "conditional", "none"}) {
    expect_refused(std::string("decoder: {input_feeding: false, wiring: ") + wiring + "}",
                   AllOf(HasSubstr("input_feeding is a setting of wiring luong"),
                         HasSubstr(std::string("no effect with wiring ") + wiring)));
  }
  EXPECT_FALSE(load_recurrent_decoder("decoder: {input_feeding: false}").input_feeding);
}

TEST(ModelOptions, RefuseAttentionWhereThereIsNone) {
  expect_refused("decoder: {wiring: none}\nattention:\n  heads: 2\n  score: dot\n",
                 AllOf(HasSubstr("model.yaml:3:"), HasSubstr("attention.heads is a setting of"),
                       HasSubstr("model.yaml:4:"), HasSubstr("attention.score is a setting of"),
                       HasSubstr("decoder.wiring: none, which has none")));
  expect_refused("decoder: {wiring: none}\ndropout: {attention: 0.1}",
                 HasSubstr("dropout.attention applies to attention weights"));
  EXPECT_EQ(load_recurrent_decoder("decoder: {wiring: none}\nattention: {score: additive}").wiring,
            WiringKind::none);
  for (const char* encoder : {"{type: transformer}", "{self_attention: additive}"}) {
    const std::string yaml =
        std::string("decoder: {wiring: none}\ndropout: {attention: 0.1}\n") + "encoder: " + encoder;
    EXPECT_EQ(load(yaml).dropout.attention, 0.1) << yaml;
  }
}

TEST(ModelOptions, RefuseKeysThatTheScopeOfALayerDoesNotRead) {
  expect_refused("encoder: {type: transformer, layer_attention: {window: 3}}",
                 HasSubstr("window is a setting of scope local_m or local_p"));
  expect_refused("decoder: {type: transformer, layer_attention: {max_distance: 3}}",
                 AllOf(HasSubstr("max_distance is a setting of scope position_bias and of "
                                 "positions: relative"),
                       HasSubstr("scope global and positions: sinusoidal")));
  for (const char* settings : {"positions: relative, layer_attention: {max_distance: 3}",
                               "layer_attention: {scope: position_bias, max_distance: 3}",
                               "layer_attention: {scope: local_m, window: 3}"}) {
    EXPECT_NO_THROW(
        static_cast<void>(load(std::string("decoder: {type: transformer, ") + settings + "}")))
        << settings;
  }
}

TEST(ModelOptions, LetHeadsShareTheWidthEvenly) {
  expect_refused("embedding: 12\nencoder: {type: transformer, heads: 5}",
                 HasSubstr("5 heads cannot share the width of 12 evenly"));
  expect_refused("decoder: {type: transformer, heads: 5, width: 12}",
                 HasSubstr("5 heads cannot share the width of 12 evenly"));
  expect_refused("decoder: {type: ssru, width: 16}\nattention: {heads: 3}",
                 AllOf(HasSubstr("attention.heads"), HasSubstr("the width of 16")));
  expect_refused("encoder: {type: transformer, width: 12, heads: 4, positions: rotary}",
                 HasSubstr("rotary positions rotate pairs of features, but a head has 3"));
}

TEST(ModelOptions, RefuseAttentionThatPositionsCannotLookAtOneAnotherBy) {
  const auto refused = [](const std::string& section, const std::string& attention,
                          const std::string& why) {
    expect_refused(section + ": {type: transformer, layer_attention: {" + attention + "}}",
                   HasSubstr(why));
  };
  refused("encoder", "score: coverage", "all positions of a layer attend at once");
  refused("encoder", "score: location", "does not read keys");
  refused("decoder", "distribution: hard",
          "only the attention to the source (model.attention) can do");
  refused("decoder", "score: convolution", "the words after it");
  refused("decoder", "scope: local_p", "whose length is not known");
  const ModelOptions convolving =
      load("encoder: {type: transformer, layer_attention: {score: convolution}}");
  EXPECT_EQ(std::get<TransformerEncoderOptions>(convolving.encoder).layer_attention.score,
            nn::ScoreKind::convolution);
  expect_refused(
      "encoder: {type: transformer, positions: relative, layer_attention: {scope: local_m}}",
      HasSubstr("relative positions need all distances"));
  for (const std::string unit : {"ssru", "gru", "lstm"}) {
    expect_refused("decoder: {type: " + unit + ", positions: rotary}",
                   AllOf(HasSubstr("rotary positions belong to self-attention, and " + unit),
                         HasSubstr("choose sinusoidal, learned or none")));
  }
}

TEST(ModelOptions, ShowAlignmentsOfALayerThatThereIs) {
  expect_refused("decoder: {type: transformer, layers: 2, alignment_layer: 3}",
                 HasSubstr("there are 2 layers"));
}

TEST(ModelOptions, DropNothingWhereThereIsNothing) {
  expect_refused("encoder: {type: transformer}\ndecoder: {type: ssru}\ndropout: {recurrent: 0.1}",
                 HasSubstr("hidden states that a recurrent layer multiplies by a matrix"));
  expect_refused(
      "encoder: {cell: mingru}\ndecoder: {cell: mingru}\ndropout: {recurrent: 0.1}",
      AllOf(HasSubstr("model.yaml:3:"), HasSubstr("a recurrent layer multiplies by a matrix")));
  expect_refused("dropout: {feed_forward: 0.1}", HasSubstr("inside transformer layers"));
  EXPECT_EQ(load("encoder: {type: transformer}\ndropout: {recurrent: 0.1}").dropout.recurrent, 0.1);
  EXPECT_EQ(load("encoder: {cell: mingru}\ndropout: {recurrent: 0.1}").dropout.recurrent, 0.1);
  EXPECT_EQ(load("encoder: {type: transformer}\ndecoder: {type: gru}\ndropout: {recurrent: 0.1}")
                .dropout.recurrent,
            0.1);
}

TEST(ModelOptions, CopyNoStatesOfATransformer) {
  expect_refused("encoder: {type: transformer}\ndecoder: {bridge: copy}",
                 HasSubstr("choose bridge: last or mean"));
}

TEST(ModelOptions, HandAMemoryOverToOneOfItsKind) {
  const std::string encoder =
      "encoder: {cell: ntm, hidden: 8, bidirectional: false, memory: {slots: 9}}\n";
  const std::string decoder = "decoder: {cell: ntm, hidden: 8, bridge: copy, ";
  EXPECT_EQ(load_recurrent_decoder(encoder + decoder + "memory: {slots: 9}}").memory.slots, 9);
  expect_refused(encoder + decoder + "memory: {slots: 10}}",
                 AllOf(HasSubstr("model.yaml:2:"), HasSubstr("must be the same")));
  expect_refused("encoder: {cell: dnc, hidden: 8}\ndecoder: {cell: dnc, hidden: 16, bridge: copy}",
                 AllOf(HasSubstr("has two"), HasSubstr("encoder.bidirectional: false")));
  expect_refused("encoder: {cell: lstm, hidden: 4}\ndecoder: {cell: ntm, hidden: 8, bridge: copy}",
                 HasSubstr("need the same cell"));
}

TEST(ModelOptions, GiveAMemoryToCellsThatHaveOne) {
  const auto message = AllOf(HasSubstr("model.yaml:1:"), HasSubstr("choose cell: ntm or dnc"));
  expect_refused("encoder: {memory: {slots: 9}}", message);
  expect_refused("decoder: {cell: gru, memory: {controller: gru}}", message);
  expect_refused("encoder: {cell: ntm, memory: {controller: elman}}", HasSubstr("gru, lstm"));
  EXPECT_EQ(load_recurrent_encoder("encoder: {cell: dnc, memory: {heads: 4}}").memory.heads, 4);
}

TEST(ModelOptions, SharpenLinksWhereThereAreSome) {
  EXPECT_TRUE(load_recurrent_encoder("encoder: {cell: dnc, memory: {sharp_links: true}}")
                  .memory.sharp_links);
  expect_refused("encoder: {cell: ntm, memory: {sharp_links: true}}",
                 HasSubstr("choose cell: dnc"));
}

TEST(ModelOptions, CutTheVectorsOfWordsIntoEvenParts) {
  expect_refused("embedding: 10\nencoder: {type: memory}",
                 AllOf(HasSubstr("4 equal parts"), HasSubstr("choose 12")));
  const ModelOptions of_twelve = load("embedding: 12\nencoder: {type: memory}");
  EXPECT_EQ(std::get<MemoryEncoderOptions>(of_twelve.encoder).hops.count, 3);
  EXPECT_EQ(load("embedding: 9\nencoder: {type: memory, hops: {tying: layer_wise}}").embedding, 9);
  expect_refused("encoder: {hops: {count: 2}}", HasSubstr("hops is a setting of type memory"));
  expect_refused("embedding: 12\nencoder: {type: memory, layers: 2}",
                 HasSubstr("would have no effect with type memory"));
}

TEST(ModelOptions, ListTheWirings) {
  expect_refused("decoder: {wiring: luon}", AllOf(HasSubstr("did you mean \"luong\"?"),
                                                  HasSubstr("bahdanau, conditional, luong, none")));
}

}  // namespace
}  // namespace attend::model
